/** `zstd -19` of two records, with its checksum. */
export const ZSTD_TEXT = '{"userName":"ada","n":1}\n{"userName":"bob","n":2}\n';
export const ZSTD_FRAME = Buffer.from(
  'KLUv/SQyPQEA+HsidXNlck5hbWUiOiJhZGEiLCJuIjoxfQpib2IyfQoCAGAY8THHTy7LDw==',
  'base64',
);
