import { describe, expect, it } from 'vitest';
import { unbroken } from '../../../src/pages/unbroken.js';
import { html } from '../../../src/rendering/html.js';

describe('unbroken', () => {
  it('keeps a letter, its hyphen and a word on one line', () => {
    expect(unbroken('Your E-Mail here').toString()).toBe('Your <span class="whole">E-Mail</span> here');
    expect(unbroken(html`<b title="e-mail">t-Test9</b>`).toString()).toBe(
      '<b title="e-mail"><span class="whole">t-Test9</span></b>',
    );
  });

  it.each(['user-sl9n-zdt', 'user-_a-bcd', 'user--a-bcd', 'x.a-bc', 'sign-in'])('never parts %s', (name) => {
    expect(unbroken(name).toString()).toBe(name);
  });
});
