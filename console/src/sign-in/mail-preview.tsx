import { createElement, useMemo, type ReactNode } from 'react';
import type { Scheme } from './scheme-switch.tsx';
import { Shadow } from './shadow.tsx';

/**
 * A mail as the service would send it. Its markup is the service's own; it is still taken apart and put together again from
 * what mails are made of, so that nothing in it could do anything, and its `style` attributes are set one by one, which the
 * page's policy allows.
 */

const ELEMENTS = new Set([
  'table',
  'tbody',
  'tr',
  'td',
  'div',
  'p',
  'h1',
  'a',
  'img',
  'br',
  'span',
  'strong',
  'bdi',
]);
const STYLE = /<style>(.*?)<\/style>/s;
const DARK = /@media \(prefers-color-scheme:dark\)\{(.*)\}$/s;

interface MailPreviewProperties {
  readonly label: string;
  readonly html: string;
  readonly scheme: Scheme;
  /** In place of the one in the mail: a picture that is not stored yet. */
  readonly logoUrl?: string;
}

export function MailPreview({ label, html, scheme, logoUrl }: MailPreviewProperties) {
  const { content, dark } = useMemo(() => {
    const rules = STYLE.exec(html)?.[1]?.trim() ?? '';
    // the policy complains of styles even where they are only read; quotes in a mail's text are escaped
    const inert = html.replace(STYLE, '').replaceAll(' style="', ' data-style="');
    const mail = new DOMParser().parseFromString(inert, 'text/html');
    return { content: copied(mail.body, 0, logoUrl), dark: DARK.exec(rules)?.[1] ?? '' };
  }, [html, logoUrl]);
  const styles = useMemo(
    () => [
      `:host { display: block; color-scheme: ${scheme}; } img { vertical-align: top; }`,
      scheme === 'dark' ? dark : '',
    ],
    [scheme, dark],
  );
  return (
    <Shadow label={label} styles={styles}>
      {content}
    </Shadow>
  );
}

function copied(node: Node, key: number, logoUrl: string | undefined): ReactNode {
  if (node.nodeType === Node.TEXT_NODE) return node.textContent;
  if (!(node instanceof HTMLElement)) return null;
  const name = node.localName === 'body' ? 'div' : node.localName;
  if (!ELEMENTS.has(name)) return null;
  const align = node.getAttribute('align');
  const properties = {
    key,
    ...(node.className !== '' && { className: node.className }),
    ref: (element: HTMLElement | null) => {
      if (element === null) return;
      element.style.cssText = node.dataset['style'] ?? '';
      const width = node.getAttribute('width');
      if (width !== null && element.style.width === '')
        element.style.width = width.endsWith('%') ? width : `${width}px`;
      if (align !== null && name === 'td') element.style.textAlign = `-webkit-${align}`;
    },
    ...(node instanceof HTMLImageElement && {
      src: logoUrl ?? ownPicture(node.getAttribute('src') ?? ''),
      alt: node.alt,
    }),
    ...(name === 'table' && { cellPadding: 0, cellSpacing: 0 }),
  };
  const children = [...node.childNodes].map((child, at) => copied(child, at, logoUrl));
  return name === 'img' || name === 'br'
    ? createElement(name, properties)
    : createElement(name, properties, ...children);
}

/** Logos are on the service's own address. */
function ownPicture(address: string): string | undefined {
  return address.startsWith(`${location.origin}/`) ? address : undefined;
}
