import { describe, expect, it } from 'vitest';
import { PairwiseSubjects } from '../../../src/domain/tokens/claims/pairwise-subjects.js';
import { PlainSealer } from '../../support/plain-sealer.js';

const names = new PairwiseSubjects(new PlainSealer());
const shop = { pairwiseSector: 'shop.example.com' };
const bank = { pairwiseSector: 'bank.example.com' };
const everybody = { pairwiseSector: null };

const IDS = [
  '1',
  '318838604669387137',
  '8f14e45f-ceea-467f-a8f7-9d2b1f0c1a2b',
  'ada+x@acme.com',
  '~'.repeat(200),
];

describe('the pairwise name of a user', () => {
  it.each(IDS)('for %s is the same each time, another in each sector, and opens in its own alone', (id) => {
    const name = names.subjectFor(shop, id);
    expect(names.subjectFor(shop, id)).toBe(name);
    expect(names.subjectFor(bank, id)).not.toBe(name);
    expect(names.userNamed(shop, name)).toBe(id);
    expect(names.userNamed(bank, name)).toBeUndefined();
    expect(name).not.toContain(id);
  });

  it('is no longer than a sub may be (Core §2), and says nothing of how long the id is', () => {
    expect(names.subjectFor(shop, '~'.repeat(200))).toMatch(/^[A-Za-z0-9_-]{255}$/);
    expect(names.subjectFor(shop, '1')).toHaveLength(64);
    expect(names.subjectFor(shop, 'x'.repeat(36))).toHaveLength(64);
  });

  it('stays what it is from release to release', () => {
    expect(names.subjectFor(shop, '318838604669387137')).toMatchInlineSnapshot(
      `"hzao0dWIq0CmC7KBkAQqlWp2zTm_Fwi4XAXdPAvDdOvRf-_JElFT_AD170hBcAtR"`,
    );
  });

  it('comes of a key of the instance', () => {
    class OtherSealer extends PlainSealer {
      override mac(purpose: string, text: string): Buffer {
        return super.mac(`other ${purpose}`, text);
      }
    }
    const others = new PairwiseSubjects(new OtherSealer());
    expect(others.subjectFor(shop, '1')).not.toBe(names.subjectFor(shop, '1'));
    expect(others.userNamed(shop, names.subjectFor(shop, '1'))).toBeUndefined();
  });

  it('is not that of a session with the same id', () => {
    expect(names.sessionFor(shop, '1')).not.toBe(names.subjectFor(shop, '1'));
    expect(names.userNamed(shop, names.sessionFor(shop, '1'))).toBeUndefined();
  });

  it('does not open with a character changed, added or taken away, nor in another spelling', () => {
    const name = names.subjectFor(shop, '~'.repeat(200));
    for (const at of [0, 21, 100, 254]) {
      const changed = name.slice(0, at) + (name[at] === 'A' ? 'B' : 'A') + name.slice(at + 1);
      expect(names.userNamed(shop, changed)).toBeUndefined();
    }
    for (const other of [`${name}A`, name.slice(1), '', '1', 'x'.repeat(64)]) {
      expect(names.userNamed(shop, other)).toBeUndefined();
    }
  });
});

describe('an application with public subjects', () => {
  it('hears and says ids', () => {
    expect(names.subjectFor(everybody, '1')).toBe('1');
    expect(names.subjectFor({}, '1')).toBe('1');
    expect(names.sessionFor(everybody, 's')).toBe('s');
    expect(names.userNamed(everybody, 'anybody')).toBe('anybody');
    const actor = { iss: 'i', sub: '2' };
    expect(names.actorFor(everybody, actor)).toBe(actor);
  });
});

describe('what a token tells', () => {
  const actor = { iss: 'i', sub: '2', act: { iss: 'i', sub: '3' } };

  it('is read back as ids, with everybody who acts', () => {
    const act = names.actorFor(shop, actor);
    expect(JSON.stringify(act)).not.toMatch(/"sub":"[23]"/);
    const told = { sub: names.subjectFor(shop, '1'), sid: names.sessionFor(shop, 's-1'), act };
    expect(names.idsIn(told)).toEqual({ sub: '1', sid: 's-1', act: actor });
    expect(names.idsIn({ sub: told.sub })).toEqual({ sub: '1', sid: undefined, act: undefined });
  });

  it('is nothing where a name does not open', () => {
    expect(names.idsIn({ sub: '1' })).toBeUndefined();
    expect(names.idsIn({ sub: names.subjectFor(shop, '1'), sid: 's-1' })).toBeUndefined();
  });
});
