import { singleLine } from '../shared/display-text.js';
import { languageOf, type Composing, type MessageContext } from './compose-mail.js';
import { isSmsTemplate } from './notification-template.js';
import { smsSize } from './sms-segments.js';
import { over } from './templates/message-texts.js';
import { fill } from './templates/placeholders.js';

/** The page that takes the code of a phone. */
const PHONE_PAGE = '/verify/phone';
/** The rest of a longer name buys nothing but a second segment. */
const LONGEST_NAME = 30;

/**
 * The short message that brings a code: words, the link where the code has a page of its own, and, where it costs nothing, a last
 * line that binds the code to our origin, so that telephones offer it on our page and on no other (WICG "Origin-bound
 * one-time codes").
 * No name that the recipient or a stranger chose is in it, only the organization's.
 */
export function composeSms(
  notification: MessageContext,
  code: string,
  { issuer, renderer, texts = {} }: Composing,
): string {
  const { template, organization, codeId } = notification;
  if (!isSmsTemplate(template)) throw new Error(`${template} is not a short message`);
  const builtIn = renderer.builtInTexts(template, languageOf(notification));
  const source = over(builtIn, texts).smsText ?? '';
  const words = unlinkedSms(fill(source, { organizationName: nameOf(organization.name), code }));
  const link = new URL(PHONE_PAGE, issuer);
  link.searchParams.set('id', codeId);
  link.searchParams.set('code', code);
  const text = template === 'verify_phone' ? `${words}\n${link.href}` : words;
  if (link.protocol !== 'https:') return text;
  const bound = `${text}\n\n@${link.hostname} #${code}`;
  const { encoding, segments } = smsSize(text);
  const longer = smsSize(bound);
  return longer.encoding === encoding && longer.segments === segments ? bound : text;
}

function nameOf(name: string): string {
  const line = unlinkedSms(singleLine(name));
  const letters = Array.from(line);
  return letters.length <= LONGEST_NAME
    ? line
    : `${letters
        .slice(0, LONGEST_NAME - 3)
        .join('')
        .trimEnd()}...`;
}

/** Telephones make a link of every `acme.com`. A blank stops them, and unlike what mails have it costs no segment. */
function unlinkedSms(text: string): string {
  return text.replace(/(?<=[\p{L}\p{N}_-])\.(?=[\p{L}\p{N}])/gu, '. ').replace(/:\/\//g, ': //');
}
