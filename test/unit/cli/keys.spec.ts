import { describe, expect, it } from 'vitest';
import { identity } from './support/run-cli.js';
import { service } from './support/service.js';

const KID = 'pQ3vN8s0T1uV2wX3yZ4a5b';

describe('identity keys', () => {
  it('lists keys, who fetched them, and whom a change touches, a page at a time', async () => {
    const keys = service({
      details: { totalResult: '2' },
      result: [
        {
          id: KID,
          state: 'STATE_INITIAL',
          algorithm: 'RS256',
          activatesAt: '2026-11-22T00:00:00Z',
          readers: 3,
        },
      ],
    });
    const listed = await identity(['keys', 'list', '--limit', '1', '--offset', '1'], '', keys.around);
    expect(listed).toEqual({
      code: 0,
      out: `${KID}  RS256  STATE_INITIAL  signs from 2026-11-22T00:00:00Z, known to 3\n`,
      err: '1 of 2\n',
    });
    expect(keys.asked.map(({ call }) => call)).toEqual(['GET /admin/v1/keys?limit=1&offset=1']);
    const none = service({ details: {} });
    expect((await identity(['keys', 'readers'], '', none.around)).out).toBe(
      'Nobody has fetched the key set.\n',
    );
    const application = { id: '1', clientId: '2', name: 'App', orgId: '3', grants: 4 };
    const some = service({ details: { totalResult: '1' }, result: [application] });
    expect((await identity(['keys', 'affected'], '', some.around)).out).toBe(
      '2  App  organization 3  4 grants\n',
    );
    const json = await identity(['keys', 'affected', '--json'], '', some.around);
    expect(JSON.parse(json.out)).toEqual([application]);
  });

  it('rotates after the lead time, and at once when that is confirmed', async () => {
    const plain = service({ id: KID });
    const rotated = await identity(['keys', 'rotate', '--algorithm', 'RS256'], '', plain.around);
    expect(rotated).toMatchObject({ code: 0, out: `${KID} is published and signs after the lead time.\n` });
    expect(plain.asked).toEqual([
      { call: 'POST /admin/v1/keys/_rotate', body: { algorithm: 'RS256', emergency: false, confirm: false } },
    ]);
    const asked = service({ affected: { grants: 5, applications: 2 } });
    expect((await identity(['keys', 'rotate', '--emergency'], '', asked.around)).out).toContain(
      'Nothing was changed. The change would affect 5 active grants of 2 applications',
    );
    expect(asked.asked).toEqual([
      { call: 'POST /admin/v1/keys/_rotate', body: { algorithm: 'all', emergency: true, confirm: false } },
    ]);
    const all = service({ id: KID, ids: [KID, 'other'], affected: { grants: 5 } });
    expect((await identity(['keys', 'rotate', '--emergency', '--confirm'], '', all.around)).out).toContain(
      `Sign now: ${KID}, other. Affected: 5 active grants`,
    );
    const rest = service({
      ids: [KID],
      waiting: [{ algorithm: 'EdDSA', id: 'later', activatesAt: '2026-11-22T00:00:00Z' }],
      skipped: [
        { algorithm: 'RS256', reason: 'replaced_just_now', retryAfterSeconds: 42 },
        { algorithm: 'ES256', reason: 'key_set_full' },
      ],
      affected: {},
    });
    const some = await identity(['keys', 'rotate', '--emergency', '--confirm'], '', rest.around);
    expect(some.code).toBe(1);
    expect(some.out).toContain(`Sign now: ${KID}.`);
    expect(some.out).toContain('later (EdDSA) leads up anew, and signs from 2026-11-22T00:00:00Z.');
    expect(some.err).toMatch(/RS256.* in 42 seconds\.\n.*ES256.* no room .* --algorithm ES256\.\n/);
    const one = service({ id: KID, affected: { grants: 5 } });
    const named = ['keys', 'rotate', '--emergency', '--confirm', '--algorithm', 'ES256'];
    expect((await identity(named, '', one.around)).out).toContain(`${KID} signs now.`);
    expect(one.asked).toEqual([
      { call: 'POST /admin/v1/keys/_rotate', body: { algorithm: 'ES256', emergency: true, confirm: true } },
    ]);
    const later = service({ id: KID, ids: [KID, 'other'] });
    expect((await identity(['keys', 'rotate', '--algorithm', 'all'], '', later.around)).out).toBe(
      `Published, and sign after the lead time: ${KID}, other.\n`,
    );
    const done = service({ id: KID, affected: { grants: 5 } });
    const confirmed = await identity(
      ['keys', 'rotate', '--emergency', '--confirm', '--json'],
      '',
      done.around,
    );
    expect(JSON.parse(confirmed.out)).toMatchObject({ id: KID });
    expect((await identity(['keys', 'rotate', '--confirm'], '', plain.around)).code).toBe(2);
  });

  it('activates and removes a key, and ends with 1 when the service refuses', async () => {
    const well = service({ details: {} });
    expect(await identity(['keys', 'activate', KID], '', well.around)).toMatchObject({
      code: 0,
      out: `${KID} signs now.\n`,
    });
    expect((await identity(['keys', 'remove', KID], '', well.around)).out).toBe(`${KID} is removed.\n`);
    expect(well.asked.map(({ call }) => call)).toEqual([
      `POST /admin/v1/keys/${KID}/_activate`,
      `DELETE /admin/v1/keys/${KID}`,
    ]);
    expect((await identity(['keys', 'remove', KID], '', service({}).around)).out).toContain(
      'There is no key',
    );
    const refused = service({ code: 9, message: 'The key that signs cannot be removed' }, 400);
    const { code, err } = await identity(['keys', 'remove', KID], '', refused.around);
    expect(code).toBe(1);
    expect(err).toContain('The key that signs cannot be removed');
  });

  it('is told of by --help', async () => {
    const { code, out } = await identity(['keys', '--help']);
    expect(code).toBe(0);
    for (const name of ['list', 'readers', 'affected', 'rotate', 'activate', 'remove'])
      expect(out).toContain(name);
    expect((await identity(['keys', 'activate'])).code).toBe(2);
  });
});
