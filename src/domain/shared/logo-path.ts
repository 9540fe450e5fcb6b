/** Where an organization's logo is had, on our own origin: pages let no other picture in, and mails name no other. */
export function logoPath(name: string): string {
  return `/logos/${name}`;
}
