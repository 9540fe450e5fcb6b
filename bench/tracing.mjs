import { createServer } from 'node:http';
import { anyFreePort } from '../scripts/ports.mjs';
import { isActive } from './checks.mjs';
import { CONNECTIONS, ROUNDS, SECONDS, wanted } from './knobs.mjs';
import { drive } from './load.mjs';
import { stop } from './process.mjs';
import { formRequest } from './program-figures.mjs';
import { tokensOf } from './programs.mjs';
import { line, median } from './table.mjs';

// `tracing`: what spans cost an introspection in CPU, for a few requests and for all, beside none.

const SHARES = ['0.05', '1'];

/** @param {import('./instances.mjs').Instance} instance with its API running */
export async function benchTracing(instance) {
  if (!wanted('tracing')) return;
  const collector = createServer((request, response) => request.resume().on('end', () => response.end('{}')));
  await new Promise((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${collector.address().port}`;
  const traced = [];
  for (const share of SHARES) {
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: share };
    traced.push(await instance.startApi(settings, await anyFreePort()));
  }
  const got = await tokensOf(instance, instance.opaqueApplication, CONNECTIONS);
  const servers = [instance.api, ...traced];
  const cpus = servers.map(() => []);
  // the first round warms up
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const [index, server] of servers.entries()) {
      const requests = got.map(({ access_token: token }) =>
        formRequest(server.port, '/oauth/v2/introspect', instance.resourceServer, { token }),
      );
      const seconds = round < 0 ? 3 : SECONDS;
      const next = (caller) => requests[caller % requests.length];
      const { cpu, sample } = await drive({ server, connections: CONNECTIONS, seconds, next });
      isActive(sample);
      if (round >= 0) cpus[index].push(cpu);
    }
  }
  const [off, ...on] = cpus.map(median);
  const costs = on.map((cpu, index) => `${Number(SHARES[index]) * 100} %: CPU x ${(cpu / off).toFixed(2)}`);
  line('tracing of an introspection', `off: ${off.toFixed(0)} µs, ${costs.join(', ')}`);
  await Promise.all(traced.map(({ child }) => stop(child)));
  collector.closeAllConnections();
  collector.close();
}
