import { setTimeout as sleep } from 'node:timers/promises';
import { pkce, PlainBrowser } from '../scripts/code-flow.mjs';
import { ROUNDS } from './knobs.mjs';
import { median, percentile } from './table.mjs';

// What people wait for while an import runs, and what the import then does, with either value of IMPORT_PRIORITY. Quiet,
// `requests`, `imports` and COPY in turn, several rounds, so that whoever else uses the machine disturbs all alike.

/** Of architecture §8: how many times as long a request may take at its 95th of a hundred. */
const MOST = { introspection: 2, signIn: 3 };
const PRIORITIES = ['requests', 'imports'];
const QUIET_MS = 5_000;
/** Until what is measured has settled: connections, and how much room an import makes. */
const SETTLE_MS = 1_000;

/** One after the other, each as soon as the one before has answered, until told to stop. */
class Probe {
  times = [];
  failures = 0;
  running = true;

  constructor(call, pauseMs) {
    this.done = this.loop(call, pauseMs);
  }

  async loop(call, pauseMs) {
    while (this.running) {
      const since = performance.now();
      await call().catch(() => {
        this.failures += 1;
      });
      this.times.push(performance.now() - since);
      await sleep(pauseMs);
    }
  }

  async end() {
    this.running = false;
    await this.done;
    return { p50: percentile(this.times, 0.5), p95: percentile(this.times, 0.95), failures: this.failures };
  }
}

function startProbes(issuer, { admin, webApplication, serviceUser }) {
  const basic = `Basic ${Buffer.from(`${webApplication.clientId}:${webApplication.clientSecret}`).toString('base64')}`;
  const introspect = async () => {
    const response = await fetch(`${issuer}/oauth/v2/introspect`, {
      method: 'POST',
      headers: { authorization: basic, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ token: serviceUser.pat }),
    });
    if (!response.ok) throw new Error(String(response.status));
    await response.text();
  };
  const signIn = async () => {
    await new PlainBrowser(issuer).authorize(
      {
        client_id: webApplication.clientId,
        redirect_uri: webApplication.redirectUri,
        response_type: 'code',
        scope: 'openid',
        code_challenge: pkce().challenge,
        code_challenge_method: 'S256',
      },
      { loginName: admin.loginName, password: admin.password },
    );
  };
  return { introspection: new Probe(introspect, 20), signIn: new Probe(signIn, 100) };
}

async function endBoth({ introspection, signIn }) {
  return { introspection: await introspection.end(), signIn: await signIn.end() };
}

/**
 * @param {object} bench
 * @param {(round: string) => Promise<{ id: string, course: () => Promise<{ total: number, ms: number }> }>} bench.importOf
 *   sends a file; its course when it has ended
 * @param {(id: string) => Promise<{ count: number, ms: number }>} bench.copy the same rows by COPY, one stream
 */
export async function benchBesideRequests({
  issuer,
  credentials,
  count,
  importOf,
  copy,
  restartWorkers,
  say,
}) {
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const quiet = startProbes(issuer, credentials);
    await sleep(QUIET_MS);
    const figures = { quiet: await endBoth(quiet) };
    let last;
    for (const priority of round % 2 === 0 ? PRIORITIES : PRIORITIES.toReversed()) {
      await restartWorkers({ IMPORT_PRIORITY: priority });
      const { id, course } = await importOf(`${priority}-${round}`);
      await sleep(SETTLE_MS);
      const busy = startProbes(issuer, credentials);
      const { total, ms } = await course();
      figures[priority] = { ...(await endBoth(busy)), perSecond: (1000 * total) / ms };
      last = id;
    }
    const { count: rows, ms } = await copy(last);
    figures.copy = (1000 * rows) / ms;
    rounds.push(figures);
  }
  const middle = (of) => median(rounds.map(of));
  for (const priority of PRIORITIES) {
    say(
      `import of ${count.toLocaleString('en')} beside requests`,
      `${Math.round(middle((one) => one[priority].perSecond)).toLocaleString('en')}/s, IMPORT_PRIORITY=${priority}`,
      `ratio to COPY, one stream, ${middle((one) => one[priority].perSecond / one.copy).toFixed(2)}`,
    );
    for (const [name, most] of Object.entries(MOST)) {
      const ratio = middle((one) => one[priority][name].p95 / one.quiet[name].p95);
      const failures = rounds.reduce((sum, one) => sum + one[priority][name].failures, 0);
      const aim = priority === 'requests' ? ` (aim ${most}${ratio > most ? ', MISSED' : ''})` : '';
      say(
        `  ${name === 'signIn' ? 'sign-in' : name} meanwhile`,
        `p50 ${middle((one) => one[priority][name].p50).toFixed(1)} ms  p95 ${middle((one) => one[priority][name].p95).toFixed(1)} ms`,
        `quiet p50 ${middle((one) => one.quiet[name].p50).toFixed(1)} ms  p95 ${middle((one) => one.quiet[name].p95).toFixed(1)} ms, p95 x ${ratio.toFixed(2)}${aim}${failures === 0 ? '' : `, ${failures} FAILED`}`,
      );
    }
  }
}
