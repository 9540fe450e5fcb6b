import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { startMailbox } from '../scripts/mailbox.mjs';
import { startPostgres, startRedis } from '../scripts/services.mjs';
import { benchBound } from './bound-figures.mjs';
import { isImported } from './checks.mjs';
import { benchEvents } from './events.mjs';
import { startFloors } from './floors.mjs';
import { endAll, makeInstance, running } from './instances.mjs';
import { CHECKOUTS, ROUNDS, USERS, wanted } from './knobs.mjs';
import { drive, requestBytes } from './load.mjs';
import { benchPeers } from './peers/peers.mjs';
import { benchPeople } from './people-figures.mjs';
import { API_CORE, canPin, LOAD_CORE, pinSelf, residentMb, stop } from './process.mjs';
import {
  benchDocuments,
  benchEllipticCurve,
  benchExchange,
  benchRefresh,
  benchServiceUsers,
  benchTokenChecks,
  ELLIPTIC_CURVE,
} from './program-figures.mjs';
import { addPrograms } from './programs.mjs';
import { publish } from './publish.mjs';
import { count, heading, line, measure, median, say } from './table.mjs';
import { benchTracing } from './tracing.mjs';
import { benchUserList } from './user-list.mjs';

// `npm run bench`: each figure beside its floor, measured in the same run, at each number of users. One API process on
// one core; the load, PostgreSQL and Redis on the other. Ratios are the result: these machines are shared, absolute
// numbers drift. What can be set is in knobs.mjs.

const folder = mkdtempSync(path.join(tmpdir(), 'identity-bench-'));
const mailbox = await startMailbox({ httpPort: 0, smtpPort: 0 });
const postgres = await startPostgres({ dir: path.join(folder, 'postgres') });
const redis = await startRedis({ dir: path.join(folder, 'redis') });

async function main() {
  say(`\n${cpus()[0]?.model ?? 'unknown CPU'}, ${availableParallelism()} cores, Node ${process.version}`);
  say(`API on core ${API_CORE}, load + PostgreSQL on core ${LOAD_CORE}${canPin ? '' : ' (not pinned)'}`);

  const instances = [];
  const databases = USERS.flatMap((users) => CHECKOUTS.map((root) => ({ users, root })));
  for (const [number, database] of databases.entries()) {
    const instance = await makeInstance(database, number + 1, { postgres, redis, mailbox, folder });
    const by = CHECKOUTS.length > 1 ? ` by ${instance.root}` : '';
    say(`${count(instance.users)} users written${by} in ${instance.fillSeconds.toFixed(0)} s`);
    instances.push(instance);
  }
  say('');
  heading();
  const [smallest] = instances;
  const worker = await coldStarts(smallest);
  for (const instance of instances.slice(1)) instance.api = await instance.startApi();
  await pinSelf(LOAD_CORE);

  // a worker beside one of two checkouts would slow its database
  if (CHECKOUTS.length > 1) await stop(worker);
  await benchImport(instances.slice(0, CHECKOUTS.length));
  // the queue drains on the load's core, so it is out of the way before the other figures
  await stop(worker);
  for (const instance of instances) await addPrograms(instance);
  const floors = await startFloors(smallest, await documentsOf(smallest));
  running.push(floors.child);

  await benchDocuments(instances, floors);
  await benchServiceUsers(instances, floors);
  if (wanted(ELLIPTIC_CURVE)) await onEllipticCurve(databases.length, floors);
  await benchTokenChecks(instances, floors);
  await benchRefresh(instances);
  await benchExchange(instances, floors);
  await benchBound(instances, floors);
  await benchPeople(instances, floors);
  await benchPeers(smallest, postgres);
  await benchUserList(instances.filter((_, index) => index % CHECKOUTS.length === 0));
  await benchTracing(smallest);
  await benchEvents(smallest);
  line('resident memory under load', `${residentMb(smallest.api.child)?.toFixed(0)} MB`);
}

/** On instances of their own, which end with the figure. */
async function onEllipticCurve(before, floors) {
  const instances = [];
  for (const [number, root] of CHECKOUTS.entries()) {
    const settings = { users: USERS[0], root, more: { SIGNING_ALG: 'ES256' } };
    const services = { postgres, redis, mailbox, folder };
    const instance = await makeInstance(settings, before + number + 1, services);
    instance.api = await instance.startApi();
    await addPrograms(instance);
    instances.push(instance);
  }
  await benchEllipticCurve(instances, floors);
  await Promise.all(instances.map(({ api }) => stop(api.child)));
}

/** Leaves the API and one worker of the instance running; gives the worker. */
async function coldStarts(instance) {
  const ready = { api: [], worker: [] };
  let worker;
  const rounds = wanted('cold start') ? ROUNDS : 1;
  for (let round = 0; round < rounds; round += 1) {
    if (worker !== undefined) await Promise.all([stop(instance.api.child), stop(worker)]);
    instance.api = await instance.startApi();
    ready.api.push(instance.api.readyMs);
    const started = await instance.startWorker();
    worker = started.child;
    ready.worker.push(started.readyMs);
  }
  if (wanted('cold start')) {
    line(
      'cold start to ready',
      `API ${Math.round(median(ready.api))} ms, worker ${Math.round(median(ready.worker))} ms`,
    );
    const [api, idle] = [instance.api.child, worker].map((child) => residentMb(child)?.toFixed(0));
    line('resident memory idle', `API ${api} MB, worker ${idle} MB`);
  }
  return worker;
}

async function documentsOf({ issuer }) {
  const paths = ['/.well-known/openid-configuration', '/oauth/v2/keys'];
  return await Promise.all(paths.map(async (one) => await (await fetch(`${issuer}${one}`)).text()));
}

async function benchImport(instances) {
  for (const connections of [1, 16]) {
    const what = `_import, ${connections} caller${connections === 1 ? '' : 's'}`;
    const on = instances.map((one) => importing(one, connections));
    if (wanted(what)) await measure({ what, check: isImported, on });
  }
}

function importing({ port, api, users, credentials: { serviceUser } }, connections) {
  let imported = 0;
  const next = () => {
    imported += 1;
    const body = {
      userName: `bench-${connections}-${imported}`,
      profile: { firstName: 'Bench', lastName: 'User' },
      email: { email: `bench-${connections}-${imported}@example.com`, isEmailVerified: true },
      hashedPassword: {
        value: '$pbkdf2-sha256$27500$cmFuZG9tc2FsdGlzaGFyZA==$OFvEcLOIPFd/oq8egf10i+qJLI7A8nDjPLnolCWarQY=',
      },
    };
    const headers = { Authorization: `Bearer ${serviceUser.pat}`, 'Content-Type': 'application/json' };
    return requestBytes(port, 'POST', '/management/v1/users/human/_import', headers, JSON.stringify(body));
  };
  return { users, take: (seconds) => drive({ server: api, connections, seconds, next }) };
}

let ending;
function end() {
  ending ??= (async () => {
    await endAll();
    await redis?.stop();
    await postgres.stop();
    await mailbox.stop();
    rmSync(folder, { recursive: true, force: true });
  })();
  return ending;
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => void end().finally(() => process.exit(1)));
}
try {
  await main();
  if (process.argv.includes('--publish')) publish();
} finally {
  await end();
}
