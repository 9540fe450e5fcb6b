// What the APIs let policies be set to. The console's forms import it, so that nothing here may need Node.

/** More than 72 would leave nobody a password that older schemes can hold whole. */
export const PASSWORD_LENGTHS = { least: 8, most: 72 } as const;
export const MOST_TRUSTED_DAYS = 90;
/** Of access and ID tokens, in seconds, in an organization. */
export const LONGEST_TOKEN_OF_ORGANIZATION = 86_400;
/** 128 KiB: a logo is drawn 40 pixels high, on pages that people open on telephones. */
export const LARGEST_LOGO_BYTES = 131_072;
export const ACCENT_COLOR = /^#[0-9a-fA-F]{6}$/;
