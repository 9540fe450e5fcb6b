/** The opening tag with this id, or a failure that shows it is missing. */
export function tagWithId(markup: string, id: string): string {
  const tag = new RegExp(`<[a-z0-9]+(?:\\s[^<>]*)?\\sid="${id}"[^<>]*>`).exec(markup)?.[0];
  if (tag === undefined) throw new Error(`no element with id "${id}"`);
  return tag;
}

export function attribute(tag: string, name: string): string | undefined {
  return new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
}
