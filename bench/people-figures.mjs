import { authorizePath, signedIn, WaitingForms, WholeFlow } from './browsers.mjs';
import { bringsCode, hasIdToken } from './checks.mjs';
import { argon2 } from './floors.mjs';
import { makeHostileTenant } from './hostile-tenant.mjs';
import { BROWSERS, ROUNDS, SECONDS, wanted } from './knobs.mjs';
import { drive, requestBytes } from './load.mjs';
import { basic } from './programs.mjs';
import { measure, measureBeside } from './table.mjs';

// People at the pages: sign-ins cost a password hash, a browser that is signed in costs a grant and a code.

/** More sign-ins a second than the fastest machine makes on one core. */
const MOST_PER_SECOND = 150;

export async function benchPeople(instances, floors) {
  await benchSignIn(instances);
  await benchHostileTenant(instances[0]);
  await benchCodeFlow(instances);
  await benchAuthorize(instances, floors);
}

async function benchSignIn(instances) {
  const what = 'sign-in (password step)';
  if (!wanted(what)) return;
  const forms = Math.ceil(((1 + ROUNDS * SECONDS) * MOST_PER_SECOND) / BROWSERS);
  const on = [];
  for (const instance of instances) {
    const { issuer, opaqueApplication, users } = instance;
    const waiting = await Promise.all(
      Array.from({ length: BROWSERS }, () =>
        WaitingForms.open(issuer, opaqueApplication, () => instance.nextName(), forms),
      ),
    );
    const next = (caller) => waiting[caller].next();
    const seen = (caller, answer) => waiting[caller].seen(answer);
    on.push({
      users,
      take: (seconds) => drive({ server: instance.api, connections: BROWSERS, seconds, next, seen }),
    });
  }
  await measure({ what, floor: argon2, aim: 0.85, check: bringsCode, grows: true, on });
}

/** People who sign in now and then, as on a site with room to spare; what they wait for is what they feel. */
const PEOPLE = 4;
const PEOPLE_PAUSE_MS = 150;
/** The least that a round must hold, or the 95th of a hundred is a matter of chance. */
const LEAST_SECONDS = 10;

async function benchHostileTenant(instance) {
  const what = 'sign-in beside a hostile tenant';
  if (!wanted(what)) return;
  const seconds = Math.max(SECONDS, LEAST_SECONDS);
  const { issuer, opaqueApplication, users } = instance;
  const forms = Math.ceil((3 * ROUNDS * seconds * 1000) / PEOPLE_PAUSE_MS);
  const waiting = [];
  for (let person = 0; person < PEOPLE; person += 1) {
    waiting.push(await WaitingForms.open(issuer, opaqueApplication, () => instance.nextName(), forms));
  }
  const people = (during) =>
    drive({
      server: instance.api,
      connections: PEOPLE,
      seconds: during,
      pauseMs: PEOPLE_PAUSE_MS,
      next: (caller) => waiting[caller].next(),
      seen: (caller, answer) => waiting[caller].seen(answer),
    });
  const attack = await makeHostileTenant(instance, ROUNDS * (seconds + 2));
  await measureBeside({ what, users, most: 3, seconds, check: bringsCode, alone: people, attack });
}

async function benchCodeFlow(instances) {
  const what = 'code flow: authorize to tokens';
  if (!wanted(what)) return;
  const on = instances.map((instance) => {
    const { port, opaqueApplication: application, users } = instance;
    const authorization = basic(application);
    const flows = Array.from(
      { length: BROWSERS },
      () => new WholeFlow({ port, application, authorization, loginName: instance.nextName() }),
    );
    const next = (caller) => flows[caller].next();
    const seen = (caller, answer) => flows[caller].seen(answer);
    const take = async (seconds) => {
      const figure = await drive({ server: instance.api, connections: BROWSERS, seconds, next, seen });
      const { REQUESTS } = WholeFlow;
      const perFlow = { perSecond: figure.perSecond / REQUESTS, cpu: figure.cpu * REQUESTS };
      return { ...figure, ...perFlow, sample: flows[0].tokens };
    };
    return { users, take };
  });
  await measure({ what, floor: argon2, check: hasIdToken('RS256'), on });
}

async function benchAuthorize(instances, floors) {
  const what = 'authorize with a live session';
  if (!wanted(what)) return;
  const on = [];
  for (const instance of instances) {
    const { port, issuer, opaqueApplication, users } = instance;
    const cookies = await Promise.all(
      Array.from({ length: BROWSERS }, () => signedIn(issuer, opaqueApplication, instance.nextName())),
    );
    const path = authorizePath(opaqueApplication);
    const requests = cookies.map((cookie) => requestBytes(port, 'GET', path, cookie));
    const next = (caller) => requests[caller];
    on.push({
      users,
      take: (seconds) => drive({ server: instance.api, connections: BROWSERS, seconds, next }),
    });
  }
  await measure({ what, floor: floors.select, aim: 0.25, check: bringsCode, on });
}
