import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';

// The floor of a password step: argon2id verifications per second at the service's cost, on the cores this process
// may use, as many at a time as the service does: one a core. Prints how many, and the CPU time of each.

const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const AT_ONCE = Math.min(3, availableParallelism());

const encoded = await hash('Bench-Passw0rd!', COST);
const seconds = Number(process.argv[2] ?? 4);

const endsAt = performance.now() + seconds * 1000;
const startedAt = performance.now();
const cpuBefore = process.cpuUsage();
let count = 0;
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    while (performance.now() < endsAt) {
      await verify(encoded, 'Bench-Passw0rd!');
      count += 1;
    }
  }),
);
const { user, system } = process.cpuUsage(cpuBefore);
const perSecond = count / ((performance.now() - startedAt) / 1000);
process.stdout.write(JSON.stringify({ perSecond, cpu: (user + system) / count }));
