import { domainToASCII } from 'node:url';

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const LONGEST = 253;

/** A domain as it is stored: lower case, in ASCII (RFC 5891); undefined for what is none, or is an address. */
export function domainName(text: string): string | undefined {
  const ascii = domainToASCII(text.trim()).toLowerCase().replace(/\.$/, '');
  if (ascii === '' || ascii.length > LONGEST) return undefined;
  const labels = ascii.split('.');
  if (labels.length < 2 || !labels.every((label) => LABEL.test(label))) return undefined;
  // a top-level domain is never a number, so this is an IPv4 address (RFC 3696 §2)
  return /^[0-9]+$/.test(labels.at(-1) ?? '') ? undefined : ascii;
}
