import { ApiError } from '../../shared/errors.js';
import {
  fieldsOf,
  LONG_FIELDS,
  LONGEST_TEXT,
  PLACEHOLDERS,
  type MessageTexts,
  type MessageType,
  type TextField,
} from './message-texts.js';
import { foreignPlaceholder, uses } from './placeholders.js';

/** Line breaks apart: controls, separators, half surrogates, and all that turns the direction of writing. */
const UNSAFE = /[^\P{Cc}\n]|[\p{Cs}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;
/** What mail programs and telephones make links of. */
const ADDRESS = /:\/\/|\bwww\.|\b(?:mailto|javascript):/i;

/**
 * Refuses, field by field and by name, what a message must not say: these are the words of somebody who may write to
 * strangers in our name, so there is no link in them but ours, and nothing that is evaluated or hidden.
 * @throws ApiError invalid-argument
 */
export function checkTexts(type: MessageType, texts: MessageTexts): void {
  const fields = fieldsOf(type);
  for (const [field, text] of Object.entries(texts) as [TextField, string][]) {
    const fault = fields.includes(field) ? faultOf(type, field, text) : `is not a text of ${type}`;
    if (fault !== undefined) throw new ApiError('invalid-argument', `${field} ${fault}`);
  }
}

function faultOf(type: MessageType, field: TextField, text: string): string | undefined {
  const longest = LONGEST_TEXT[field];
  if (text === '' || text.length > 2 * longest || Array.from(text).length > longest)
    return `must have 1 to ${longest} characters`;
  if (UNSAFE.test(text)) {
    return 'must not contain control characters or characters that override text direction';
  }
  if (text.includes('\n') && !LONG_FIELDS.includes(field)) return 'must be one line';
  const foreign = foreignPlaceholder(text, PLACEHOLDERS[type]);
  if (foreign !== undefined) {
    const known = PLACEHOLDERS[type].map((name) => `{{${name}}}`).join(', ');
    return `has an unknown placeholder "${foreign}": there are ${known}`;
  }
  if (ADDRESS.test(text)) return 'must not contain a web address: the links of a message are ours';
  if (field === 'smsText' && !uses(text, 'code')) return 'must contain {{code}}';
  return undefined;
}
