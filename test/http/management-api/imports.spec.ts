import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasZstd } from '../../../src/domain/imports/formats/zstd.js';
import type { ImportAnswer } from '../../../src/http/management-api/import.schemas.js';
import { aReplica } from '../../support/api.js';
import { call, errorBody } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { record } from '../../support/human-records.js';
import { aServiceUser } from '../../support/service-users.js';
import { anOrganization, useWorld } from '../../support/world.js';
import { ZSTD_FRAME, ZSTD_TEXT } from '../../support/zstd-sample.js';
import { importCalls, ndjson } from './import-calls.js';

const { api, world: home } = useWorld();
const other = given(() => anOrganization(api));
const owner = given(() => aServiceUser(home, 'ORG_OWNER'));
const stranger = given(() => aServiceUser(other, 'ORG_OWNER'));

const { upload, uploaded, find } = importCalls(() => ({ api, owner }));

async function traces(): Promise<unknown> {
  const { rows } = await api.sql.query(
    `SELECT (SELECT count(*) FROM imports) AS jobs, (SELECT count(*) FROM import_chunks) AS chunks,
            (SELECT count(*) FROM users) AS users`,
  );
  return rows;
}

describe('POST imports', () => {
  it('takes NDJSON, CSV and dataOrgs, packed or not, and answers with the job', async () => {
    const lines = ndjson(record(), record(), record());
    const job = await uploaded(lines, { query: '?mode=upsert&notify=none&fileName=people.ndjson' });
    expect(job).toMatchObject({
      orgId: home.orgId,
      instanceWide: false,
      state: 'queued',
      mode: 'upsert',
      notify: 'none',
      dryRun: false,
      format: 'ndjson',
      fileName: 'people.ndjson',
      createdBy: owner.userId,
      counts: {
        total: 3,
        created: 0,
        updated: 0,
        skipped: 0,
        failed: 0,
        weak: 0,
        totpSecrets: 0,
        recoveryCodes: 0,
        codeFactors: 0,
        passkeys: 0,
        foreignPasskeys: 0,
        identities: 0,
        knownIdentities: 0,
        refusedIdentities: 0,
        held: 0,
      },
      bytes: Buffer.byteLength(lines),
    });
    const packed = await uploaded(gzipSync(lines), { headers: { 'content-encoding': 'gzip' } });
    expect([packed.counts.total, packed.bytes, packed.checksum]).toEqual([3, job.bytes, job.checksum]);

    const csv = await uploaded('userName,first_name,last_name,email\na,A,B,a@b.ch\n', { type: 'text/csv' });
    expect([csv.format, csv.counts.total]).toEqual(['csv', 1]);

    const orgs = [{ humanUsers: [{ user: record() }, { user: record() }], orgId: home.orgId }];
    const body = JSON.stringify({ dataOrgs: { orgs }, timeout: '30m' });
    const json = await uploaded(body, { type: 'application/json; charset=utf-8' });
    expect([json.format, json.counts.total]).toEqual(['json', 2]);

    const named = await uploaded(lines, { query: '?format=ndjson', type: 'application/octet-stream' });
    expect(named.format).toBe('ndjson');
    expect(await find(named.id)).toMatchObject({ id: named.id, counts: { total: 3 } });
  });

  it('is unpacked with zstd where the runtime can, and refused with the reason where it cannot', async () => {
    const answer = await upload(ZSTD_FRAME, { headers: { 'content-encoding': 'zstd' } });
    if (hasZstd) {
      expect(answer.statusCode).toBe(202);
      expect(answer.json<ImportAnswer>().bytes).toBe(ZSTD_TEXT.length);
    } else {
      expect([answer.statusCode, answer.json()]).toEqual([
        415,
        { code: 3, message: 'Content-Encoding must be one of identity, gzip' },
      ]);
    }
  });

  it('writes records down sealed, in chunks, with the organization that stands behind them', async () => {
    const users = Array.from({ length: 2500 }, () => ({ user: record() }));
    const orgs = [
      { humanUsers: users, orgId: home.orgId },
      { humanUsers: users.slice(0, 3), orgId: home.orgId },
    ];
    const job = await uploaded(
      Readable.from(JSON.stringify({ dataOrgs: { orgs } }).match(/[^]{1,5000}/g) ?? []),
      {
        type: 'application/json',
      },
    );
    const { rows } = await api.sql.query(
      `SELECT number, records, records_org_id, position('Lovelace'::bytea in payload) AS plain
       FROM import_chunks WHERE import_id = $1 ORDER BY number`,
      [job.id],
    );
    expect(rows).toEqual([
      { number: 1, records: 1000, records_org_id: home.orgId, plain: 0 },
      { number: 2, records: 1000, records_org_id: home.orgId, plain: 0 },
      { number: 3, records: 503, records_org_id: null, plain: 0 },
    ]);
    expect(job.counts.total).toBe(2503);
  });

  it.each([
    ['?mode=replace', 'mode must be one of insert, skip, upsert'],
    ['?dryRun=yes', 'dryRun must be true or false'],
    ['?notify=never', 'notify must be one of now, deferred, none'],
    ['?initialState=deleted', 'initialState must be one of active, initial, inactive, locked'],
    ['?updatePasswords=1', 'updatePasswords must be true or false'],
    ['?format=xml', 'format must be one of json, ndjson, csv'],
    ['?mode=skip&mode=insert', 'mode must be one of insert, skip, upsert'],
    [`?fileName=${'x'.repeat(201)}`, 'fileName must have at most 200 characters'],
    // S162: nothing is fetched from anywhere
    ['?sourceUrl=http://169.254.169.254/', 'unknown field "sourceUrl"'],
  ])('refuses %s', async (query, message) => {
    const before = await traces();
    const response = await upload(ndjson(record()), { query });
    expect([response.statusCode, response.json()]).toEqual([400, { code: 3, message }]);
    expect(await traces()).toEqual(before);
  });

  it('refuses what it cannot read by its headers, before anything is read', async () => {
    const before = await traces();
    const xml = await upload('<users/>', { type: 'application/xml' });
    expect([xml.statusCode, xml.json()]).toEqual([
      415,
      { code: 3, message: 'the Content-Type must be application/json, application/x-ndjson or text/csv' },
    ]);
    const form = await upload('{}', { type: 'application/x-www-form-urlencoded', query: '?format=ndjson' });
    expect(form.statusCode).toBe(415);
    const latin = await upload('a', { type: 'text/csv; charset=iso-8859-1' });
    expect([latin.statusCode, latin.json<{ message: string }>().message]).toEqual([
      415,
      'the file must be UTF-8',
    ]);
    const brotli = await upload('a', { headers: { 'content-encoding': 'br' } });
    expect(brotli.json<{ message: string }>().message).toMatch(
      /^Content-Encoding must be one of identity, gzip/,
    );
    expect(brotli.statusCode).toBe(415);
    const key = await upload('a', { headers: { 'idempotency-key': 'é' } });
    expect(key.statusCode).toBe(400);
    const empty = await upload('', { headers: { 'content-length': '0' } });
    expect([empty.statusCode, empty.json<{ message: string }>().message]).toEqual([
      400,
      'the body is empty: it must be a file of users',
    ]);
    expect(await traces()).toEqual(before);
  });

  it.each([
    [
      'text/csv',
      'userName,shoeSize\na,42\n',
      'source_unreadable',
      /^column 2 of the header is unknown: "shoeSize"/,
    ],
    ['application/x-ndjson', '', 'source_unreadable', /^the file is empty/],
    ['text/csv', 'userName,email\na,"x', 'source_incomplete', /^the file is incomplete: /],
    ['application/x-ndjson', '{"userName":"a"}\n{"userN', 'source_incomplete', /^the file is incomplete: /],
    ['application/json', '{"dataOrgs":{"orgs":[', 'source_incomplete', /^the file is incomplete: /],
    [
      'application/json',
      '{"dataOrgs":{"orgs":}}',
      'source_unreadable',
      /^the file is not valid JSON at byte 21/,
    ],
    // S166
    ['application/json', '{"timeout":"-1s"}', 'source_unreadable', /^timeout must be a duration/],
    ['application/json', '{"timeout":"1e9h"}', 'source_unreadable', /^timeout must be a duration/],
  ])('leaves a failed job and no record of a %s that reads %j', async (type, file, reason, message) => {
    const response = await upload(file, { type });
    expect(response.statusCode).toBe(400);
    expect(response.json<{ code: number; message: string }>()).toMatchObject({
      code: 3,
      message: expect.stringMatching(message) as unknown,
    });
    const id = String(response.headers.location).split('/').at(-1) ?? '';
    expect(await find(id)).toMatchObject({ state: 'failed', reason });
    const { rows } = await api.sql.query(
      'SELECT 1 FROM import_chunks WHERE import_id = $1 AND payload IS NOT NULL',
      [id],
    );
    expect(rows).toEqual([]);
  });

  it('S166: accepts a timeout above the limit, and waits only up to the limit', async () => {
    const job = await uploaded('{"timeout":"9999999h","dataOrgs":{"orgs":[]}}', { type: 'application/json' });
    expect(job.counts.total).toBe(0);
  });

  it('is 413 for a file that is too large when it is unpacked', async () => {
    const small = await aReplica(api, { IMPORT_MAX_BYTES: '2000' });
    const send = async (length: number) =>
      await small.app.inject({
        method: 'POST',
        url: '/management/v1/imports',
        headers: {
          authorization: `Bearer ${owner.pat}`,
          'content-type': 'application/x-ndjson',
          'content-encoding': 'gzip',
        },
        payload: gzipSync('\n'.repeat(length)),
      });
    const refused = await send(2001);
    expect([refused.statusCode, refused.json()]).toEqual([
      413,
      { code: 8, message: 'the file is larger than 2000 bytes' },
    ]);
    expect((await send(2000)).statusCode).toBe(202);
  });

  it('asks for a token and the permission before the body', async () => {
    const manager = await aServiceUser(home, 'ORG_USER_MANAGER');
    expect((await upload('x', { pat: manager.pat })).statusCode).toBe(403);
    expect((await upload('x', { pat: 'pat_none' })).statusCode).toBe(401);
  });

  it('F21: is the same job for the same key, and 422 for another file or other options', async () => {
    const headers = { 'idempotency-key': 'once' };
    const file = ndjson(record());
    const first = await uploaded(file, { headers });
    const before = await traces();
    expect((await uploaded(file, { headers })).id).toBe(first.id);
    expect((await uploaded(gzipSync(file), { headers: { ...headers, 'content-encoding': 'gzip' } })).id).toBe(
      first.id,
    );
    for (const again of [
      await upload(ndjson(record()), { headers }),
      await upload(file, { headers, query: '?mode=skip' }),
      await upload(file, { headers, query: '?dryRun=true' }),
    ]) {
      expect([again.statusCode, again.json<{ message: string }>().message]).toEqual([
        422,
        'this Idempotency-Key was used for another request',
      ]);
    }
    expect(await traces()).toEqual(before);
    // another caller's key is another key
    const colleague = await aServiceUser(home, 'ORG_OWNER');
    expect((await uploaded(file, { headers, pat: colleague.pat })).id).not.toBe(first.id);
  });

  it('F21: starts over under a key whose file did not arrive completely', async () => {
    const headers = { 'idempotency-key': 'cut-off' };
    expect((await upload('{"userName":', { headers })).statusCode).toBe(400);
    expect((await uploaded(ndjson(record()), { headers })).counts.total).toBe(1);
  });

  it('takes a few files of one caller at the same time, and 429 beyond', async () => {
    const held = Array.from({ length: 4 }, () => new Readable({ read: () => undefined }));
    for (const body of held) body.push(ndjson(record()));
    const running = held.map((body) => upload(body));
    await expect.poll(async () => await reading()).toBe(4);
    const refused = await upload(ndjson(record()));
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '5']);
    expect((await upload(ndjson(record()), { pat: stranger.pat })).statusCode).toBe(202);
    for (const body of held) body.push(null);
    for (const response of await Promise.all(running)) expect(response.statusCode).toBe(202);
    expect((await upload(ndjson(record()))).statusCode).toBe(202);
  });
});

async function reading(): Promise<number> {
  const { rows } = await api.sql.query<{ count: string }>(
    `SELECT count(*) FROM imports WHERE state = 'reading' AND org_id = $1`,
    [home.orgId],
  );
  return Number(rows[0]?.count);
}

describe('an upload over the wire', () => {
  let port: number;

  beforeAll(async () => {
    await api.app.listen(0, '127.0.0.1');
    port = (api.app.getHttpServer().address() as AddressInfo).port;
  });

  function send(headers: Readonly<Record<string, string>> = {}) {
    return httpRequest({
      port,
      method: 'POST',
      path: '/management/v1/imports',
      headers: { authorization: `Bearer ${owner.pat}`, 'content-type': 'application/x-ndjson', ...headers },
    });
  }

  it('whose sender goes away leaves a failed job, and no record of it', async () => {
    const request = send({ 'idempotency-key': 'gone' });
    request.on('error', () => undefined);
    request.write(ndjson(...Array.from({ length: 1500 }, () => record())));
    const chunks = async () =>
      (
        await api.sql.query<{ id: string; state: string; reason: string | null; chunks: string }>(
          `SELECT id, state, reason, (SELECT count(payload) FROM import_chunks WHERE import_id = id) AS chunks
           FROM imports ORDER BY created_at DESC LIMIT 1`,
        )
      ).rows[0];
    await expect.poll(chunks).toMatchObject({ state: 'reading', chunks: '1' });
    request.destroy();
    await expect.poll(chunks).toMatchObject({ state: 'failed', reason: 'source_incomplete', chunks: '0' });
    const again = await uploaded(ndjson(record()), { headers: { 'idempotency-key': 'gone' } });
    expect(again.counts.total).toBe(1);
  });

  it('that is refused half-way gets its answer', async () => {
    const answer = new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const request = send({ 'content-type': 'text/csv' });
      request.on('error', reject);
      request.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => (text += part));
        response.on('end', () => resolve({ status: response.statusCode, text }));
      });
      request.write('userName,shoeSize\n');
      request.write('x'.repeat(3_000_000));
      request.end();
    });
    expect(await answer).toEqual({ status: 400, text: expect.stringContaining('shoeSize') as unknown });
  });

  it('S158: every import is found by its own organization only, whatever is asked of it', async () => {
    const { id } = await uploaded(ndjson(record()));
    expect(id).toMatch(/^[\w-]{22}$/);
    const calls = [
      ['GET', `imports/${id}`],
      ['GET', `imports/${id}/events`],
      ['GET', `imports/${id}/events?pace=true`],
      ['GET', `imports/${id}/pace`],
      ['GET', `imports/${id}/results`],
      ...['pause', 'resume', 'cancel', 'undo', 'notify', 'retry'].map((verb) => [
        'POST',
        `imports/${id}/_${verb}`,
      ]),
    ] as const;
    for (const [method, path] of calls) {
      for (const known of [path, path?.replace(id, id.slice(1))]) {
        const pat = known === path ? stranger.pat : owner.pat;
        const response = await call(api, method as 'GET', known ?? '', { pat });
        expect([known, response.statusCode, response.json()]).toEqual([
          known,
          404,
          errorBody(5, 'Import not found', 'IMPORT-4kD2s'),
        ]);
      }
    }
    const listed = await stranger.call('GET', 'imports?limit=1000');
    const { result = [] } = listed.json<{ result?: ImportAnswer[] }>();
    expect(result.filter(({ orgId }) => orgId !== other.orgId)).toEqual([]);
    const corrected = await upload(ndjson(record()), { path: `imports/${id}/_retry`, pat: stranger.pat });
    expect(corrected.statusCode).toBe(404);
  });

  it('tells what happens to it, until it has ended', async () => {
    const { id } = await uploaded(ndjson(record()));
    // what stands in for EventSource in old browsers adds parameters of its own
    const path = `management/v1/imports/${id}/events?lastEventId=1`;
    const response = await fetch(`http://127.0.0.1:${port}/${path}`, {
      headers: { authorization: `Bearer ${owner.pat}` },
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const text = response.text();
    expect((await owner.call('POST', `imports/${id}/_pause`)).json()).toMatchObject({
      state: 'paused',
    });
    expect((await owner.call('POST', `imports/${id}/_cancel`)).statusCode).toBe(200);
    const events = (await text)
      .trim()
      .split('\n\n')
      .map((event) => {
        const [kind, number, data] = event.split('\n').map((line) => line.replace(/^\w+: /, ''));
        return { kind, number, state: (JSON.parse(data ?? '') as ImportAnswer).state };
      });
    expect(events[0]).toMatchObject({ number: '1' });
    expect(events.at(-1)).toMatchObject({ kind: 'done', state: 'cancelled' });
    // whoever did not ask for the chart reads an import in every event
    expect(events.map(({ kind }) => kind)).not.toContain('pace');
  });

  it('tells with it how fast it goes: all until now, then what comes, and all again to whoever connects anew', async () => {
    const { id } = await uploaded(ndjson(record()));
    await api.sql.query(
      `UPDATE imports SET state = 'running', started_at = app_now() - interval '7 seconds' WHERE id = $1`,
      [id],
    );
    const opened = async () =>
      await fetch(`http://127.0.0.1:${port}/management/v1/imports/${id}/events?pace=true`, {
        headers: { authorization: `Bearer ${owner.pat}` },
      });
    type Told = Partial<ImportAnswer> & { readonly from?: number; readonly steps?: readonly object[] };
    const told = (text: string) =>
      text
        .split('\n\n')
        .slice(0, -1)
        .map((event) => {
          const [kind = '', , data = ''] = event.split('\n').map((line) => line.replace(/^\w+: /, ''));
          return { kind, data: JSON.parse(data) as Told };
        });
    const response = await opened();
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const read = async () => {
      text += (await reader?.read())?.value ?? '';
      return told(text);
    };
    const paces = async () => (await read()).filter(({ kind }) => kind === 'pace').map(({ data }) => data);
    await expect.poll(async () => (await paces()).length).toBeGreaterThan(1);
    const [whole, next] = await paces();
    // three steps of two seconds are over at least
    expect(whole).toMatchObject({ from: 0 });
    expect(whole?.steps?.length).toBeGreaterThan(2);
    expect(next).toMatchObject({ from: whole?.steps?.length });
    const anew = (await opened()).text();
    expect((await owner.call('POST', `imports/${id}/_cancel`)).statusCode).toBe(200);
    await expect.poll(async () => (await read()).at(-1)?.kind).toBe('done');
    expect((await read()).at(-2)).toMatchObject({ kind: 'pace' });
    const first = told(await anew).find(({ kind }) => kind === 'pace');
    const before = [...(whole?.steps ?? []), ...(next?.steps ?? [])];
    expect(first?.data.from).toBe(0);
    expect(first?.data.steps?.slice(0, before.length)).toEqual(before);
  });

  it('tells nothing more to somebody who is shut out meanwhile', async () => {
    const leaver = await aServiceUser(home, 'ORG_OWNER');
    const { id } = await uploaded(ndjson(record()));
    const response = await fetch(`http://127.0.0.1:${port}/management/v1/imports/${id}/events`, {
      headers: { authorization: `Bearer ${leaver.pat}` },
    });
    const text = response.text();
    const shutOut = await owner.call('POST', `users/${leaver.userId}/_deactivate`);
    expect(shutOut.statusCode).toBe(200);
    expect((await owner.call('POST', `imports/${id}/_cancel`)).statusCode).toBe(200);
    expect(await text).not.toMatch(/"state":"cancell/);
  });
});

describe('an import', () => {
  it('is listed with the others of its organization, by state', async () => {
    const own = await anOrganization(api);
    const { pat } = await aServiceUser(own, 'ORG_OWNER');
    const [first, second] = [
      await uploaded(ndjson(record()), { pat }),
      await uploaded(ndjson(record()), { pat }),
    ];
    await call(api, 'POST', `imports/${second.id}/_pause`, { pat });
    const ids = async (query: string) => {
      const response = await call(api, 'GET', `imports${query}`, { pat });
      expect(response.statusCode).toBe(200);
      return response.json<{ result: ImportAnswer[] }>().result.map(({ id }) => id);
    };
    expect(await ids('')).toEqual([second.id, first.id]);
    expect(await ids('?asc=true')).toEqual([first.id, second.id]);
    expect(await ids('?limit=1&offset=1')).toEqual([first.id]);
    expect(await ids('?state=paused')).toEqual([second.id]);
    expect(await ids('?state=queued,running')).toEqual([first.id]);
    for (const query of ['?state=gone', '?limit=1001', '?sort=id', '?state=queued&state=done']) {
      expect((await call(api, 'GET', `imports${query}`, { pat })).statusCode).toBe(400);
    }
  });

  it('is paused, resumed and cancelled, and refuses what its state does not allow', async () => {
    const { id } = await uploaded(ndjson(record()));
    const step = async (verb: string) => {
      const response = await owner.call('POST', `imports/${id}/_${verb}`, {});
      return response.statusCode === 200 ? response.json<ImportAnswer>().state : response.statusCode;
    };
    expect(await step('resume')).toBe(400);
    expect(await step('undo')).toBe(400);
    expect(await step('retry')).toBe(400);
    expect(await step('pause')).toBe('paused');
    expect(await step('resume')).toBe('running');
    expect(['cancelling', 'cancelled']).toContain(await step('cancel'));
    expect(await step('pause')).toBe(400);
  });

  it('has results in the order of the file, none at first', async () => {
    const { id } = await uploaded(ndjson(record()));
    const ask = async (query: string) => await owner.call('GET', `imports/${id}/results${query}`);
    const lines = await ask('');
    expect([lines.statusCode, lines.headers['content-type'], lines.body]).toEqual([
      200,
      'application/x-ndjson',
      '',
    ]);
    const rows = await ask('?format=csv&outcome=created,failed');
    expect(rows.headers['content-type']).toContain('text/csv');
    expect(rows.headers['content-disposition']).toBe(`attachment; filename="import-${id}-results.csv"`);
    expect(rows.body).toBe('line,outcome,userId,givenId,orgId,code,path,message,weak,undone,type\r\n');
    for (const query of ['?outcome=lost', '?format=xlsx', '?what=1']) {
      expect((await ask(query)).statusCode).toBe(400);
    }
  });
});
