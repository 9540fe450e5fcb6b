import { generateKeyPairSync, sign } from 'node:crypto';
import { promisify } from 'node:util';

// The floor of whatever signs: RSA-2048 signatures per second on the cores this process may use. Prints how many, and the CPU time of each.

const signAsync = promisify(sign);
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const payload = Buffer.alloc(600, 'x');
const seconds = Number(process.argv[2] ?? 4);

const endsAt = performance.now() + seconds * 1000;
const startedAt = performance.now();
const cpuBefore = process.cpuUsage();
let count = 0;
await Promise.all(
  Array.from({ length: 16 }, async () => {
    while (performance.now() < endsAt) {
      await signAsync('sha256', payload, privateKey);
      count += 1;
    }
  }),
);
const { user, system } = process.cpuUsage(cpuBefore);
const perSecond = count / ((performance.now() - startedAt) / 1000);
process.stdout.write(JSON.stringify({ perSecond, cpu: (user + system) / count }));
