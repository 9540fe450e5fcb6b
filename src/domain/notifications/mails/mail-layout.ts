import { type ColourScheme, fonts, radii, withAccent } from '../../shared/design-tokens.js';
import { html, type Html, raw } from '../../shared/html.js';
import { initial, singleLine } from '../../shared/display-text.js';
import type { MailKindTexts, MailTexts } from './mail-texts.js';

/**
 * One layout for every mail with a link and a code: a plain table that old clients show, colours inlined, and a
 * second set for clients that honour a dark scheme. Names come from imports and forms, so they are data all the
 * way: no line break reaches the subject, no markup the body, nothing is evaluated. The text twin says the same.
 */

export interface CodeMail {
  readonly organizationName: string;
  /** The organization's accent, `#rrggbb`. */
  readonly accent?: string | undefined;
  /** Empty when nobody told us a name. */
  readonly displayName: string;
  readonly loginName: string;
  /** Absolute address on our own origin; it may carry the code. */
  readonly link: string;
  readonly code: string;
  readonly expiresAt: Date;
  /** The recipient's language, BCP 47. */
  readonly locale: string;
}

/** Goes out with `Auto-Submitted: auto-generated` (RFC 3834). Holds a live code: never log it. */
export interface MailContent {
  /** One line without control characters. */
  readonly subject: string;
  readonly text: string;
  /** A whole HTML document. */
  readonly html: string;
}

export function renderCodeMail(mail: CodeMail, texts: MailTexts, kind: MailKindTexts): MailContent {
  // A name of sentences is bait for the reader, not a name; a hundred characters hold the long real ones.
  const organization = singleLine(mail.organizationName, 100);
  const name = singleLine(mail.displayName, 100);
  const parts: MailParts = {
    texts,
    kind,
    organization,
    greeting: name === '' ? texts.greetingWithoutName : texts.greeting(name),
    loginName: singleLine(mail.loginName, 250),
    link: mail.link,
    code: mail.code,
    validUntil: texts.validUntil(timeInWords(mail.expiresAt, texts.dates)),
  };
  return {
    subject: singleLine(kind.subject(organization), 120),
    text: textBody(parts),
    html: htmlBody(parts, withAccent(mail.accent)).toString(),
  };
}

interface MailParts {
  readonly texts: MailTexts;
  readonly kind: MailKindTexts;
  readonly organization: string;
  readonly greeting: string;
  readonly loginName: string;
  readonly link: string;
  readonly code: string;
  readonly validUntil: string;
}

function textBody({
  texts,
  kind,
  organization,
  greeting,
  loginName,
  link,
  code,
  validUntil,
}: MailParts): string {
  return [
    greeting,
    ...kind.paragraphs(organization),
    `${texts.loginName}: ${loginName}`,
    `${kind.button}:\n${link}`,
    `${texts.code}\n\n    ${code}`,
    `${validUntil}\n${texts.neverShare}`,
    `--\n${kind.why(organization)}`,
    '',
  ].join('\n\n');
}

function htmlBody(parts: MailParts, colours: { light: ColourScheme; dark: ColourScheme }): Html {
  const { texts, kind, organization } = parts;
  const { light } = colours;
  return html`<!doctype html>
    <html lang="${texts.lang}" dir="${texts.dir}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <meta name="format-detection" content="telephone=no, date=no, address=no, email=no" />
        <title>${kind.heading}</title>
        <style>
          ${raw(darkRules(colours.dark))}
        </style>
        <!--[if mso
          ]><style>
            td,
            p,
            h1,
            a {
              font-family: Arial, sans-serif !important;
            }
          </style><!
        [endif]-->
      </head>
      <body class="canvas" style="margin:0;padding:0;background-color:${light.canvas}">
        <div style="display:none;max-height:0;overflow:hidden">${kind.preview(organization)}</div>
        <table ${table} width="100%" class="canvas" style="${fluid};background-color:${light.canvas}">
          <tr>
            <td align="center" style="padding:32px 12px">
              <table ${table} width="100%" style="${fluid};max-width:520px">
                <tr>
                  <td style="padding:0 8px 16px">${letterhead(organization, light)}</td>
                </tr>
                <tr>
                  <td class="card" bgcolor="${light.surface}" style="${cardStyle(light)}">
                    ${card(parts, light)}
                  </td>
                </tr>
                <tr>
                  <td class="muted" style="padding:16px 8px 0;${type(13, light.muted)}">
                    ${kind.why(organization)}
                  </td>
                </tr>
              </table>
            </td>
          </tr>
        </table>
      </body>
    </html>`;
}

function letterhead(organization: string, light: ColourScheme): Html {
  const square = `width:32px;background-color:${light.accent};border-radius:${radii.field};text-align:center`;
  const letter = `font:600 16px/32px ${fonts.text};color:${light.onAccent}`;
  return html`<table ${table}>
    <tr>
      <td width="32" aria-hidden="true">
        <div class="accent on-accent" style="${square};${letter}">${initial(organization)}</div>
      </td>
      <td class="text" style="padding:0 12px;${type(16, light.text, 600)}">${organization}</td>
    </tr>
  </table>`;
}

function card(parts: MailParts, light: ColourScheme): Html {
  const { texts, kind, organization, greeting, loginName, link, code, validUntil } = parts;
  const body = `margin:0 0 16px;${type(16, light.text)}`;
  const small = `margin:0 0 8px;${type(14, light.muted)}`;
  return html`
    <h1 class="text" style="margin:0 0 16px;${type(24, light.text, 600)}">${kind.heading}</h1>
    <p class="text" style="${body}">${greeting}</p>
    ${kind.paragraphs(organization).map((text) => html`<p class="text" style="${body}">${text}</p>`)}
    <p class="muted" style="${small};margin-bottom:0">${texts.loginName}</p>
    <p class="text" style="margin:0 0 24px;${type(16, light.text, 600)}">${loginName}</p>
    <table ${table} style="margin:0 0 24px">
      <tr>
        <td class="accent" align="center" bgcolor="${light.accent}" style="border-radius:${radii.field}">
          <a class="on-accent" href="${link}" style="${buttonStyle(light)}">${kind.button}</a>
        </td>
      </tr>
    </table>
    <p class="muted" style="${small}">${texts.code}</p>
    <p class="code" style="${codeStyle(light)}">${code}</p>
    <p class="muted" style="${small}">${validUntil}</p>
    <p class="muted" style="${small}">${texts.neverShare}</p>
    <p class="muted" style="${small};margin-top:24px">${texts.linkInstead}</p>
    <p style="margin:0;word-break:break-all;${type(14, light.accentText)}">
      <a class="link" href="${link}" style="color:${light.accentText}">${link}</a>
    </p>
  `;
}

/** Attributes of a table that only lays out. */
const table = raw('role="presentation" cellpadding="0" cellspacing="0" border="0"');

/** Never wider than the window, however long a name is. */
const fluid = 'table-layout:fixed;width:100%;word-break:break-word;overflow-wrap:break-word';

/** Every cell says its own font and colour, because old clients hand down neither. */
function type(size: number, colour: string, weight = 400): string {
  const lineHeight = size + (size > 14 ? 8 : 6);
  return `font:${weight} ${size}px/${lineHeight}px ${fonts.text};color:${colour}`;
}

function cardStyle(light: ColourScheme): string {
  return `padding:32px;background-color:${light.surface};border:1px solid ${light.line};border-radius:${radii.card}`;
}

function buttonStyle(light: ColourScheme): string {
  const shape = `display:inline-block;padding:12px 28px;border-radius:${radii.field};text-decoration:none`;
  return `${shape};background-color:${light.accent};${type(16, light.onAccent, 600)}`;
}

function codeStyle(light: ColourScheme): string {
  const box = `margin:0 0 16px;padding:12px 16px;background-color:${light.sunken};border-radius:${radii.field}`;
  return `${box};font:600 28px/36px ${fonts.code};letter-spacing:4px;color:${light.text}`;
}

/** Inlined colours win over a style sheet, hence `!important`. Constants and checked colours only. */
function darkRules(dark: ColourScheme): string {
  return (
    `@media (prefers-color-scheme:dark){` +
    `.canvas{background-color:${dark.canvas}!important}` +
    `.card{background-color:${dark.surface}!important;border-color:${dark.line}!important}` +
    `.text{color:${dark.text}!important}.muted{color:${dark.muted}!important}` +
    `.code{color:${dark.text}!important;background-color:${dark.sunken}!important}` +
    `.accent,.on-accent{background-color:${dark.accent}!important}.on-accent{color:${dark.onAccent}!important}` +
    `.link{color:${dark.accentText}!important}}`
  );
}

/** In UTC and saying so, because the recipient's time zone is not known. */
function timeInWords(time: Date, lang: string): string {
  return new Intl.DateTimeFormat(lang, {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: 'UTC',
    timeZoneName: 'short',
  }).format(time);
}
