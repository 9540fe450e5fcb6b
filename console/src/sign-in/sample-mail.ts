import { mails as mailsDe } from '../../../locales/de.json';
import { mails as mailsEn } from '../../../locales/en.json';
import {
  codeBox,
  linkAsText,
  loginNameLine,
  mailButton,
  mailDocument,
  smallLine,
} from '../../../src/mails/mail-layout.ts';
import { html } from '../../../src/rendering/html.ts';
import type { Locale } from '../../../src/rendering/locales.ts';
import { language, momentOf, say, words } from '../app/words.ts';
import type { Look } from './page-preview.tsx';

/** The invitation in the service's own layout and words, to somebody made up. */

const mails = words({ en: mailsEn, de: mailsDe });
const PERSON = 'Ada Lovelace';
const LOGIN_NAME = 'ada@example.com';
const LINK = 'https://id.example.com/set-password?code=K7PX2M';
/** Stands for a picture that is not stored yet; whoever shows the mail puts it in. */
const LOGO = '/logo';
const TEN_MINUTES = 600_000;

interface SampleMail {
  readonly subject: string;
  readonly html: string;
}

export function sampleMail({ name, accent, logoUrl }: Look): SampleMail {
  const said = mails.initialise;
  const filled = (text: string): string => say(text, { organizationName: name });
  const expiresAt = new Date(Date.now() + TEN_MINUTES);
  const subject = filled(said.subject);
  const sample = {
    subject,
    title: filled(said.title),
    preheader: '',
    greeting: say(mails.greeting, { displayName: PERSON }),
    paragraphs: said.text.map(filled),
    button: said.button,
    footer: filled(said.footer),
    loginName: LOGIN_NAME,
    organization: name,
  };
  // only its fixed words are used below
  const texts = mails as unknown as Locale['mails'];
  return {
    subject,
    html: mailDocument({
      mail: {
        template: 'initialise',
        organizationName: name,
        accent,
        logoUrl: logoUrl === undefined ? undefined : LOGO,
        displayName: PERSON,
        loginName: LOGIN_NAME,
        language,
        code: 'K7PX2M',
        expiresAt,
      },
      locale: { language, direction: 'ltr' } as Locale,
      words: sample,
      body: (light) => html`
        ${loginNameLine(sample, texts, light)} ${mailButton(LINK, said.button, light)}
        ${smallLine(mails.code, light)} ${codeBox('K7PX2M', light)}
        ${smallLine(say(mails.validUntil, { expiresAt: momentOf(expiresAt.toISOString()) }), light)}
        ${smallLine(mails.neverShare, light)} ${linkAsText(LINK, texts, light)}
      `,
    }),
  };
}
