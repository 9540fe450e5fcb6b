import { createHash } from 'node:crypto';

/** Where an organization's logo is had, on our own origin: pages let no other picture in, and mails name no other. */
export function logoPath(name: string): string {
  return `/logos/${name}`;
}

/** SHA-256 of the picture and its type, `<64 hex digits>.png`: another picture has another name. */
export type LogoName = `${string}.${keyof typeof LOGO_TYPES}`;

export interface Logo {
  readonly name: LogoName;
  readonly content: Buffer;
}

/** What a logo may be, by the ending of its name. No SVG: opened by itself it is a document that runs scripts. */
export const LOGO_TYPES = { png: 'image/png', jpg: 'image/jpeg', webp: 'image/webp' } as const;

export function contentTypeOf(name: LogoName): string {
  return LOGO_TYPES[name.slice(name.lastIndexOf('.') + 1) as keyof typeof LOGO_TYPES];
}

const LOGO_NAME = /^[0-9a-f]{64}\.(?:png|jpg|webp)$/;

export function isLogoName(name: string): name is LogoName {
  return LOGO_NAME.test(name);
}

/** A picture under its name; undefined when its first bytes are those of no type we serve. */
export function logoOf(content: Buffer): Logo | undefined {
  const type = logoType(content);
  if (type === undefined) return undefined;
  return { name: `${createHash('sha256').update(content).digest('hex')}.${type}`, content };
}

function logoType(content: Buffer): keyof typeof LOGO_TYPES | undefined {
  const start = content.toString('latin1', 0, 16);
  if (start.startsWith('\x89PNG\r\n\x1a\n\0\0\0\rIHDR')) return 'png';
  if (start.startsWith('\xff\xd8\xff')) return 'jpg';
  return /^RIFF[^]{4}WEBPVP8[ LX]/.test(start) ? 'webp' : undefined;
}
