import { describe, expect, it } from 'vitest';
import { attributes, escapeHtml, html, raw } from '../../../src/rendering/html.js';
import { hostileStrings } from './sample-page.js';

describe('html', () => {
  it.each(hostileStrings)('keeps %s as text in content and in attributes', (hostile) => {
    const markup = html`<p title="${hostile}">${hostile}</p>`.toString();
    const inert = escapeHtml(hostile);
    expect(markup).toBe(`<p title="${inert}">${inert}</p>`);
    expect(inert).not.toMatch(/[<>"']/);
    expect(inert.replace(/&(?:amp|lt|gt|quot|#39);/g, '')).not.toContain('&');
  });

  it('escapes twice what comes escaped, so that text is shown as it was given', () => {
    expect(html`${'&lt;'}`.toString()).toBe('&amp;lt;');
  });

  it('takes markup of its own and trusted markup as they are', () => {
    expect(html`<b>${html`<i>${'<'}</i>`}${raw('<br>')}</b>`.toString()).toBe('<b><i>&lt;</i><br></b>');
  });

  it('joins lists without separators and escapes what is in them', () => {
    expect(html`${['<', [html`<i>b</i>`, 'a']]}`.toString()).toBe('&lt;<i>b</i>a');
  });

  it('leaves nothing behind for undefined, null and false, but shows 0', () => {
    expect(html`[${undefined}${null}${false}${0}]`.toString()).toBe('[0]');
  });

  it('does not take an object that looks like markup', () => {
    const forged = { toString: () => '<script>' } as unknown as string;
    expect(() => html`${forged}`.toString()).toThrow(TypeError);
  });

  it('refuses a value in an attribute without quotes', () => {
    expect(() => html`<p class=${'x'}></p>`).toThrow('quotes');
    expect(() => html`<p class="${'a'}" id=${'x'}></p>`).toThrow('quotes');
  });

  it.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    ' \u0001java\tscript\n:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
  ])('gives a link to %j nowhere to go', (address) => {
    expect(html`<a href="${address}">x</a>`.toString()).toBe('<a href="#">x</a>');
    expect(attributes({ href: address }).toString()).toBe(' href="#"');
    expect(html`<form action="${address}"></form>`.toString()).toBe('<form action="#"></form>');
  });

  it.each(['https://rp.test/cb?a=b&c=d', '/login', '?lang=de', '#main', 'mailto:help@example.com', 'x/y:z'])(
    'leaves a link to %s alone',
    (address) => {
      expect(html`<a href="${address}">x</a>`.toString()).toBe(`<a href="${escapeHtml(address)}">x</a>`);
    },
  );
});

describe('attributes', () => {
  it('writes values escaped, true as a bare name, and leaves out false and undefined', () => {
    expect(
      attributes({ value: '"<', required: true, hidden: false, title: undefined, height: 4 }).toString(),
    ).toBe(' value="&quot;&lt;" required height="4"');
  });
});
