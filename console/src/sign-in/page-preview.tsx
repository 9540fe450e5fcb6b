import { useMemo } from 'react';
import { languageName as nameDe, pages as pagesDe } from '../../../locales/de.json';
import { languageName as nameEn, pages as pagesEn } from '../../../locales/en.json';
import { initial, singleLine } from '../../../src/domain/shared/display-text.ts';
import { colourProperties, styleRules } from '../../../src/pages/design/style-rules.ts';
import { withAccent } from '../../../src/rendering/design-tokens.ts';
import { words } from '../app/words.ts';
import type { Scheme } from './scheme-switch.tsx';
import { Shadow } from './shadow.tsx';

/**
 * The sign-in page as `src/pages/sign-in-page.ts` makes it: the same elements with the same classes, the same words and the
 * very style sheet of the pages, in which one of the two schemes is made to hold.
 */

const pages = words({ en: pagesEn, de: pagesDe });
const languageName = words({ en: nameEn, de: nameDe });

/** The pages' style sheet for a part of a page: the host stands for the root, the document and its body. */
const RULES = styleRules
  .replace(/^(?::root|html|body)(?= \{)/gm, ':host')
  .replace(/@media \(prefers-color-scheme: dark\) \{\n.*\n\}/, '');
const FRAME = `
:host { display: block; }
.page { min-height: 0; padding: var(--s8) var(--s4) var(--s6); }
.mail { display: block; }
`;

export interface Look {
  readonly name: string;
  readonly accent: string | undefined;
  readonly logoUrl: string | undefined;
  readonly helpUrl: string;
  readonly privacyUrl: string;
}

interface PagePreviewProperties {
  readonly label: string;
  readonly application: string;
  readonly look: Look;
  readonly scheme: Scheme;
  readonly hasRegistration: boolean;
}

export function PagePreview({ label, application, look, scheme, hasRegistration }: PagePreviewProperties) {
  const { accent } = look;
  const styles = useMemo(() => {
    const colours = withAccent(accent)[scheme];
    return [RULES, `:host { color-scheme: ${scheme}; ${colourProperties(colours)} }`, FRAME];
  }, [accent, scheme]);
  const name = singleLine(look.name);
  const [before = '', after = ''] = pages.signIn.continueTo.split('{application}');
  return (
    <Shadow label={label} styles={styles}>
      <div className="page">
        <div className="card">
          {look.logoUrl === undefined ? (
            <p className="brand">
              <span className="mark">{initial(name)}</span>
              <bdi>{name}</bdi>
            </p>
          ) : (
            <p className="brand">
              <img src={look.logoUrl} alt="" height="40" />
            </p>
          )}
          <h1>{pages.signIn.title}</h1>
          <p className="lead">
            {before}
            <strong>{application}</strong>
            {after}
          </p>
          <form>
            <div className="field">
              <label htmlFor="preview-name">{pages.form.loginName}</label>
              <input id="preview-name" className="text" readOnly value="ada@example.com" />
            </div>
            <div className="field">
              <label htmlFor="preview-password">{pages.form.password}</label>
              <div className="secret">
                <input
                  id="preview-password"
                  className="text"
                  type="password"
                  readOnly
                  value="preview"
                  autoComplete="off"
                />
                <button className="reveal" type="button">
                  {pages.form.show}
                </button>
              </div>
            </div>
            <button className="button" type="button">
              {pages.signIn.submit}
            </button>
          </form>
          <form className="passkey">
            <button className="button quiet" type="button">
              {pages.passkeys.signIn}
            </button>
          </form>
          <ul className="ways">
            <li>
              <a href="#preview">{pages.signIn.forgottenPassword}</a>
            </li>
            {hasRegistration && (
              <li>
                <a href="#preview">{pages.signIn.createAccount}</a>
              </li>
            )}
          </ul>
        </div>
        <div className="foot">
          <nav>
            <details>
              <summary>{languageName}</summary>
            </details>
          </nav>
          {look.helpUrl !== '' && <a href="#preview">{pages.layout.help}</a>}
          {look.privacyUrl !== '' && <a href="#preview">{pages.layout.privacy}</a>}
        </div>
      </div>
    </Shadow>
  );
}
