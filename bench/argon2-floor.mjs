import { hash, verify } from '@node-rs/argon2';

// The floor of a password step: argon2id verifications per second at the service's cost, on the cores this process
// may use, two at a time as the service does. Prints one number.

const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const AT_ONCE = 2;

const encoded = await hash('Bench-Passw0rd!', COST);
const seconds = Number(process.argv[2] ?? 4);

const endsAt = performance.now() + seconds * 1000;
const startedAt = performance.now();
let count = 0;
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    while (performance.now() < endsAt) {
      await verify(encoded, 'Bench-Passw0rd!');
      count += 1;
    }
  }),
);
process.stdout.write(String(count / ((performance.now() - startedAt) / 1000)));
