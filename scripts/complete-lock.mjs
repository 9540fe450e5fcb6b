import { readFileSync, writeFileSync } from 'node:fs';

// Adds to package-lock.json the optional platform packages that `npm install` left out because the registry at hand
// did not carry them (other systems' builds of native packages). `npm ci` compares the lock with what the packages
// say and refuses one without them, also on systems that will never install them.

const FILE = 'package-lock.json';
/** `…-linux-x64-gnu`, `…-darwin-arm64`: system and processor stand in the package's name. */
const PLATFORM =
  /(darwin|linux|win32|windows|android|freebsd|openharmony)-?(arm64|x64|ia32|arm|ppc64|riscv64|s390x)/;

const lock = JSON.parse(readFileSync(FILE, 'utf8'));
const { '': root, ...packages } = lock.packages;
let added = 0;

for (const [where, entry] of Object.entries(packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const known = packages[`node_modules/${name}`] ?? packages[`${where}/node_modules/${name}`];
    const platform = PLATFORM.exec(name.split('/').pop());
    if (known !== undefined || platform === null) continue;
    packages[`node_modules/${name}`] = missingPackage(name, version, platform, entry);
    added += 1;
  }
}

function missingPackage(name, version, [, system, cpu], { dev, license, engines }) {
  return {
    version,
    cpu: [cpu],
    ...(dev && { dev }),
    ...(license && { license }),
    optional: true,
    os: [system === 'windows' ? 'win32' : system],
    ...(/musl/.test(name) && { libc: ['musl'] }),
    ...(/linux.*gnu(?!eabi)/.test(name) && { libc: ['glibc'] }),
    ...(engines && { engines }),
  };
}

const sorted = Object.entries(packages).toSorted(([a], [b]) => a.localeCompare(b, 'en'));
lock.packages = { '': root, ...Object.fromEntries(sorted) };
writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`${added} platform packages added to ${FILE}\n`);
