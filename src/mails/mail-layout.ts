import type { Mail } from '../domain/notifications/mail.js';
import { initial, singleLine, unlinked } from '../domain/shared/display-text.js';
import { fonts, lightColours, radii, withAccent, type ColourScheme } from '../rendering/design-tokens.js';
import { html, raw, type Html } from '../rendering/html.js';
import type { Locale } from '../rendering/locales.js';
import type { MailWords } from './mail-words.js';

/**
 * One layout for every mail: a plain table that old clients show, colours inlined, and a second set for clients that
 * honour a dark scheme. Names come from imports and forms, so they are data all the way: no line break reaches the
 * subject, no markup the body, nothing is evaluated. Each mail has a text twin that says the same.
 */

export interface MailDocument {
  readonly mail: Mail;
  readonly locale: Locale;
  readonly words: MailWords;
  /** Under the heading and the words. */
  readonly body: (light: ColourScheme) => Html;
}

/** The whole HTML document. */
export function mailDocument({ mail, locale, words, body }: MailDocument): string {
  const { light, dark } = withAccent(mail.accent);
  return html`<!doctype html>
    <html lang="${locale.language}" dir="${locale.direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <meta name="format-detection" content="telephone=no, date=no, address=no, email=no" />
        <title>${words.title}</title>
        <style>
          ${raw(darkRules(dark))}
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
        <div style="display:none;max-height:0;overflow:hidden">${words.preheader}</div>
        <div role="main">
          <table ${table} width="100%" class="canvas" style="${fluid};background-color:${light.canvas}">
            <tr>
              <td align="center" style="padding:32px 12px">
                <table ${table} width="100%" style="${fluid};max-width:520px">
                  <tr>
                    <td style="padding:0 8px 16px">${letterhead(mail, light)}</td>
                  </tr>
                  <tr>
                    <td class="card" bgcolor="${light.surface}" style="${cardStyle(light)}">
                      <h1 class="text" style="margin:0 0 16px;${type(24, light.text, 600)}">
                        ${words.title}
                      </h1>
                      ${paragraphs([words.greeting, ...words.paragraphs], light)} ${body(light)}
                    </td>
                  </tr>
                  <tr>
                    <td class="muted" style="padding:16px 8px 0;${type(13, light.muted)}">
                      ${lines(words.footer)}
                    </td>
                  </tr>
                </table>
              </td>
            </tr>
          </table>
        </div>
      </body>
    </html>`.toString();
}

/** The logo by itself, as on pages; where pictures are held back, the name that stands for it. */
function letterhead({ organizationName, logoUrl }: Mail, light: ColourScheme): Html {
  const organization = singleLine(organizationName, 100);
  if (logoUrl !== undefined) {
    const name = `font:600 16px/40px ${fonts.text};color:${light.text}`;
    const picture = `display:inline-block;height:40px;max-width:100%;border:0;${name}`;
    return html`<img class="logo" src="${logoUrl}" alt="${organization}" height="40" style="${picture}" />`;
  }
  const square = `width:32px;background-color:${light.accent};border-radius:${radii.field};text-align:center`;
  const letter = `font:600 16px/32px ${fonts.text};color:${light.onAccent}`;
  return html`<table ${table}>
    <tr>
      <td width="32" aria-hidden="true">
        <div class="accent on-accent" style="${square};${letter}">${initial(organization)}</div>
      </td>
      <td class="text" style="padding:0 12px;${type(16, light.text, 600)}">${unlinked(organization)}</td>
    </tr>
  </table>`;
}

export function paragraphs(texts: readonly string[], light: ColourScheme): Html {
  return html`${texts.map(
    (text) => html`<p class="text" style="margin:0 0 16px;${type(16, light.text)}">${lines(text)}</p>`,
  )}`;
}

/** Line breaks stay line breaks. */
function lines(text: string): readonly Html[] {
  return text.split('\n').map((line, index) => html`${index > 0 && raw('<br />')}${line}`);
}

/** A smaller line that stands back. */
export function smallLine(line: string, light: ColourScheme, margin = '0 0 8px'): Html {
  return html`<p class="muted" style="margin:${margin};${type(14, light.muted)}">${line}</p>`;
}

export function loginNameLine(
  { loginName }: MailWords,
  texts: Locale['mails'],
  light: ColourScheme,
): Html | undefined {
  if (loginName === '') return undefined;
  return html`${smallLine(texts.loginName, light, '0')}
    <p class="text" style="margin:0 0 24px;${type(16, light.text, 600)}">${loginName}</p>`;
}

/** An account by its login name, and what is to be said of it. */
export function accountLines(loginName: string, about: readonly string[], light: ColourScheme): Html {
  return html`<p class="text" style="margin:0 0 4px;${type(16, light.text, 600)}">${loginName}</p>
    ${about.map((line, index) => smallLine(line, light, index === about.length - 1 ? '0 0 20px' : '0'))}`;
}

/** The mail's one button. */
export function mailButton(link: string, label: string, light: ColourScheme): Html {
  return html`<table ${table} style="margin:0 0 24px">
    <tr>
      <td class="accent" align="center" bgcolor="${light.accent}" style="border-radius:${radii.field}">
        <a class="on-accent" href="${link}" style="${buttonStyle(light)}">${label}</a>
      </td>
    </tr>
  </table>`;
}

/** A code to read and type. */
export function codeBox(code: string, light: ColourScheme): Html {
  const box = `margin:0 0 16px;padding:12px 16px;background-color:${light.sunken};border-radius:${radii.field}`;
  const letters = `font:600 28px/36px ${fonts.code};letter-spacing:4px;color:${light.text}`;
  return html`<p class="code" style="${box};${letters}">${code}</p>`;
}

/** A line of the text twin. */
export function loginNameText({ loginName }: MailWords, { labelled, mails }: Locale): readonly string[] {
  return loginName === '' ? [] : [`${labelled({ label: mails.loginName })} ${loginName}`];
}

/** The button's address to read and copy. */
export function linkAsText(link: string, texts: Locale['mails'], light: ColourScheme): Html {
  return html`${smallLine(texts.linkInstead, light, '24px 0 8px')} ${addressLink(link, light)}`;
}

/** A link that shows its own address. */
export function addressLink(link: string, light: ColourScheme): Html {
  return html`<p style="margin:0;word-break:break-all;${type(14, light.accentText)}">
    <a class="link" href="${link}" style="color:${light.accentText}">${link}</a>
  </p>`;
}

/** In UTC and saying so, because the recipient's time zone is not known. */
export function timeInWords(time: Date, { dates, mails }: Locale): string {
  const { day, hour } = formatsOf(dates);
  return mails.moment({ day: day.format(time), time: `${hour.format(time)} UTC` });
}

interface TimeFormats {
  readonly day: Intl.DateTimeFormat;
  readonly hour: Intl.DateTimeFormat;
}

/** One for each language that mails speak: making one costs more than the rest of a mail. */
const timeFormats = new Map<string, TimeFormats>();

function formatsOf(locale: string): TimeFormats {
  let formats = timeFormats.get(locale);
  if (formats === undefined) {
    const inUtc = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
      new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
    formats = {
      day: inUtc({ day: 'numeric', month: 'long', year: 'numeric' }),
      hour: inUtc({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
    };
    timeFormats.set(locale, formats);
  }
  return formats;
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

/** Inlined colours win over a style sheet, hence `!important`. Constants and checked colours only. */
function darkRules(dark: ColourScheme): string {
  return (
    `@media (prefers-color-scheme:dark){` +
    `.canvas{background-color:${dark.canvas}!important}` +
    `.card{background-color:${dark.surface}!important;border-color:${dark.line}!important}` +
    `.text{color:${dark.text}!important}.muted{color:${dark.muted}!important}` +
    `.code{color:${dark.text}!important;background-color:${dark.sunken}!important}` +
    // logos are made for paper: what is dark and clear at its edges must not vanish
    `.logo{background-color:${lightColours.surface}!important;padding:6px 10px!important;` +
    `border-radius:${radii.field}!important}` +
    `.accent,.on-accent{background-color:${dark.accent}!important}.on-accent{color:${dark.onAccent}!important}` +
    `.link{color:${dark.accentText}!important}}`
  );
}
