/**
 * Libraries that write out, when a variable of the environment asks for it, what they send and get: commands with their
 * values, headers, whole bodies. That holds passwords, tokens and codes. Production refuses to start with it; elsewhere
 * these libraries stay quiet, and others may talk (quiet-debug.ts).
 */

/** Namespaces of `debug`, each with all that begins with it and a colon. */
const TALKERS = [
  'ioredis',
  'typeorm',
  'pg',
  'bull',
  'bullmq',
  'nodemailer',
  'twilio',
  'axios',
  'follow-redirects',
  'agent-base',
  'http-proxy-agent',
  'https-proxy-agent',
] as const;

/** Sections of NODE_DEBUG: bytes, headers, or the environment of a process that is started. */
const SECTIONS = [
  'bull',
  'child_process',
  'cluster',
  'fetch',
  'http',
  'http2',
  'https',
  'net',
  'quic',
  'stream',
  'tls',
  'undici',
  'websocket',
  'worker',
] as const;

/** Settings of nodemailer in the query of its URL. */
const MAIL_SETTINGS = ['debug', 'logger', 'transactionLog'] as const;

/** Names and exceptions, as the package reads them: between commas or blanks, an exception behind a minus. */
function patternsOf(value: string): { readonly names: string[]; readonly skips: string[] } {
  const parts = value.split(/[\s,]+/).filter((part) => part !== '');
  return {
    names: parts.filter((part) => !part.startsWith('-')),
    skips: parts.filter((part) => part.startsWith('-')).map((part) => part.slice(1)),
  };
}

/** Whether it matches the namespace itself or anything that begins with it and a colon. */
function mayMatch(pattern: string, talker: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === talker || pattern.startsWith(`${talker}:`);
  return talker.startsWith(head) || head.startsWith(`${talker}:`);
}

/** Whether an exception leaves nothing of it; one that takes only a part away leaves the rest. */
function coversAll(skip: string, talker: string): boolean {
  return skip.endsWith('*') && !skip.slice(0, -1).includes('*') && talker.startsWith(skip.slice(0, -1));
}

/** Libraries that a value of DEBUG makes talk. */
export function talkersIn(value: string): readonly string[] {
  const { names, skips } = patternsOf(value);
  return TALKERS.filter((talker) => {
    const covered = skips.some((skip) => coversAll(skip, talker));
    // `-ioredis:*` leaves the namespace `ioredis`, in which nothing is ever written
    const inside = skips.some((skip) => skip === `${talker}:*` || skip === `${talker}*`);
    return !covered && !inside && names.some((name) => mayMatch(name, talker));
  });
}

/** The same value, but that those libraries stay quiet. */
export function withoutTalkers(value: string): string {
  return [value, ...TALKERS.flatMap((talker) => [`-${talker}`, `-${talker}:*`])].join(',');
}

/** Sections that a value of NODE_DEBUG switches on (`util.debuglog`: between commas, whatever the case). */
function sectionsIn(value: string): readonly string[] {
  const names = value.toLowerCase().split(',');
  return SECTIONS.filter((section) =>
    names.some((name) => {
      const pattern = name
        .trim()
        .replace(/[|\\{}()[\]^$+?.]/g, '\\$&')
        .replaceAll('*', '.*');
      return new RegExp(`^${pattern}$`).test(section);
    }),
  );
}

/** What of an environment writes secrets out, with the way out, and no value of it. */
export function debugFaults(given: Readonly<Record<string, string | undefined>>): string[] {
  const faults: string[] = [];
  const talkers = talkersIn(given['DEBUG'] ?? '');
  if (talkers.length > 0) {
    faults.push(`DEBUG: has ${talkers.join(', ')} write secrets out; unset it, or name other libraries`);
  }
  const sections = sectionsIn(given['NODE_DEBUG'] ?? '');
  if (sections.length > 0) {
    faults.push(
      `NODE_DEBUG: has Node write secrets out (${sections.join(', ')}); unset it, or name other sections`,
    );
  }
  if (/(^|[\s"'])--(tls-keylog|trace-tls)\b/.test(given['NODE_OPTIONS'] ?? '')) {
    faults.push('NODE_OPTIONS: must not have --tls-keylog or --trace-tls, which write keys out');
  }
  if ((given['TWILIO_LOG_LEVEL'] ?? '').trim().toLowerCase() === 'debug') {
    faults.push('TWILIO_LOG_LEVEL: debug writes messages with their codes out; unset it');
  }
  const mail = given['SMTP_URL'];
  if (mail !== undefined && URL.canParse(mail)) {
    const { searchParams } = new URL(mail);
    const talking = MAIL_SETTINGS.filter((name) => !['false', '0', null].includes(searchParams.get(name)));
    if (talking.length > 0) {
      faults.push(
        `SMTP_URL: ${talking.join(', ')} in its query would write mails with their codes out; take it away`,
      );
    }
  }
  return faults;
}
