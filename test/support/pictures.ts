/** The smallest pictures that begin as browsers and we want them to; `more` makes one another picture. */
export function png(more = ''): Buffer {
  return Buffer.concat([
    Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ),
    Buffer.from(more),
  ]);
}

export const jpeg = Buffer.from('\xff\xd8\xff\xe0\0\x10JFIF\0\x01', 'latin1');
export const webp = Buffer.from('RIFF\x24\0\0\0WEBPVP8 \x18\0\0\0', 'latin1');
