import { generateKeyPairSync, sign } from 'node:crypto';
import { promisify } from 'node:util';

// The floor of whatever signs: RSA-2048 signatures per second on the cores this process may use. Prints one number.

const signAsync = promisify(sign);
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const payload = Buffer.alloc(600, 'x');
const seconds = Number(process.argv[2] ?? 4);

const endsAt = performance.now() + seconds * 1000;
const startedAt = performance.now();
let count = 0;
await Promise.all(
  Array.from({ length: 16 }, async () => {
    while (performance.now() < endsAt) {
      await signAsync('sha256', payload, privateKey);
      count += 1;
    }
  }),
);
process.stdout.write(String(count / ((performance.now() - startedAt) / 1000)));
