// The OpenID Foundation's conformance suite against this service, with a browser that signs in. Both are up by https already, and reach
// each other (docs/development.md has the settings):
//
//   node scripts/conformance-suite/run.mjs PLAN… \
//     --service https://op.test:9443 --suite https://suite.test:8443 --profile .data/cli.json [--certificates FOLDER] [--modules REGEXP]
//
// The profile has the token of an administrator. The folder has ca.pem, one.crt, one.key, two.crt and two.key, of the subjects CN=one
// and CN=two. A module that ends without a result is run once more. Exits with 1 when anything failed, was warned of or has no result.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { findChromium } from '../chromium.mjs';
import { makeClients, person } from './clients.mjs';
import { PLANS } from './plans.mjs';
import { Suite } from './suite.mjs';
import { Visitor } from './visitor.mjs';

const ALIAS = 'identity-service';
const LONGEST_MODULE_MS = 240_000;
const ENDED = new Set(['FINISHED', 'INTERRUPTED']);
const RESULTS = new Set(['PASSED', 'REVIEW', 'SKIPPED', 'WARNING', 'FAILED']);
const ROTATES = 'oidcc-server-rotate-keys';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    service: { type: 'string' },
    suite: { type: 'string' },
    profile: { type: 'string' },
    certificates: { type: 'string' },
    modules: { type: 'string', default: '' },
  },
});
const unknown = positionals.filter((name) => !(name in PLANS));
if (positionals.length === 0 || unknown.length > 0 || !values.service || !values.suite || !values.profile) {
  console.error(
    `usage: run.mjs PLAN… --service URL --suite URL --profile FILE\nplans: ${Object.keys(PLANS).join(' ')}`,
  );
  process.exit(64);
}

const { token } = JSON.parse(readFileSync(values.profile, 'utf8'));
const suite = new Suite(values.suite);
const loginName = `buffy-${Date.now().toString(36)}`;
const password = `Slayer-${crypto.randomUUID()}`;

async function send(method, address, body, contentType = 'application/json') {
  const response = await fetch(`${values.service}/${address}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': contentType },
    body: typeof body === 'object' ? JSON.stringify(body) : body,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${address} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}

const manage = async (method, address, body) => await send(method, `management/v1/${address}`, body);

async function importPerson() {
  const record = { ...person(password), userName: loginName };
  record.email = { ...record.email, email: `${loginName}@sunnydale.example` };
  const { id } = await send('POST', 'management/v1/imports', JSON.stringify(record), 'application/x-ndjson');
  for (;;) {
    const { state, counts } = await manage('GET', `imports/${id}`);
    if (state === 'done' && counts?.created === 1) return;
    if (state === 'done' || state === 'failed') throw new Error(`the person was not imported: ${state}`);
    await pause(500);
  }
}

function certificates() {
  if (values.certificates === undefined) return {};
  const read = (name) => readFileSync(path.join(values.certificates, name), 'utf8');
  const ca = read('ca.pem');
  const one = { cert: read('one.crt'), key: read('one.key'), ca };
  return { mtls: one, mtls2: { cert: read('two.crt'), key: read('two.key'), ca } };
}

async function runModule(browser, plan, module) {
  const id = await suite.begin(plan, module);
  const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: 'en-US' });
  const person = { suite: values.suite, module: module.testModule, loginName, password };
  const visitor = new Visitor(context, person);
  const opened = new Set();
  const until = Date.now() + LONGEST_MODULE_MS;
  let picture;
  let info = await suite.info(id);
  while (!ENDED.has(info.status) && Date.now() < until) {
    if (info.status === 'CONFIGURED') {
      if (module.testModule === ROTATES) await rotateKeys();
      await suite.start(id);
    }
    let acted = false;
    for (const { url, seen } of await suite.toVisit(id)) {
      const visit = `${seen} ${url}`;
      if (opened.has(visit)) continue;
      opened.add(visit);
      await suite.visit(id, url);
      picture = await visitor.open(url);
      acted = true;
    }
    if (!acted && info.status === 'WAITING' && picture !== undefined) await suite.show(id, picture);
    await pause(acted ? 100 : 400);
    info = await suite.info(id);
  }
  await context.close();
  const ended = ENDED.has(info.status) && RESULTS.has(info.result);
  return { outcome: ended ? info.result : info.status, faults: await suite.faults(id) };
}

function report({ testModule }, { outcome, faults }) {
  console.log(`${outcome.padEnd(8)} ${testModule}`);
  for (const fault of faults) console.log(`         ${fault}`);
}

/** A key that waits to sign, since the module ran in another plan, would be the next one again: the suite wants to see a new one. */
async function rotateKeys() {
  const { result } = await send('GET', 'admin/v1/keys');
  for (const { id } of result.filter(({ state }) => state === 'STATE_INITIAL')) {
    await send('DELETE', `admin/v1/keys/${id}`, {});
  }
  await send('POST', 'admin/v1/keys/_rotate', {});
}

async function pause(ms) {
  await new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

await importPerson();
const base = `${values.suite}/test/a/${ALIAS}`;
const clients = await makeClients(manage, base, ['CN=one', 'CN=two']);
const { mtls_endpoint_aliases: aliases, userinfo_endpoint: userinfo } = await (
  await fetch(`${values.service}/.well-known/openid-configuration`)
).json();
const config = {
  alias: ALIAS,
  description: 'identity-service',
  server: { discoveryUrl: `${values.service}/.well-known/openid-configuration` },
  ...certificates(),
};
const { program: executablePath } = await findChromium();
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const wanted = new RegExp(values.modules);
let bad = 0;
for (const name of positionals) {
  const [plan, variant, of] = PLANS[name];
  const resourceUrl =
    variant.sender_constrain === 'mtls' ? (aliases?.userinfo_endpoint ?? userinfo) : userinfo;
  const resource = { resourceUrl, resourceMethod: 'GET' };
  const { id, modules } = await suite.plan(plan, variant, { ...config, ...clients[of], resource });
  const sums = {};
  for (const module of modules.filter(({ testModule }) => wanted.test(testModule))) {
    let run = await runModule(browser, id, module);
    if (!RESULTS.has(run.outcome)) {
      report(module, run);
      run = await runModule(browser, id, module);
    }
    report(module, run);
    sums[run.outcome] = (sums[run.outcome] ?? 0) + 1;
    if (run.faults.length > 0 || !RESULTS.has(run.outcome)) bad += 1;
  }
  console.log(`${plan}: ${JSON.stringify(sums)}\n`);
}
await browser.close();
process.exitCode = bad === 0 ? 0 : 1;
