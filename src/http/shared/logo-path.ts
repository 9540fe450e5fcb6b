/** Where an organization's logo is had, on our own origin: pages let no other picture in. */
export function logoPath(name: string): string {
  return `/logos/${name}`;
}
