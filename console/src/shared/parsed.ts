/** JSON that was typed. Text that is none is sent as it is, and refused with the field's name. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
