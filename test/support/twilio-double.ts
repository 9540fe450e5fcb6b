import { createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

export const ACCOUNT_SID = `AC${'1'.repeat(32)}`;
export const VERIFY_SID = `VA${'2'.repeat(32)}`;
export const AUTH_TOKEN = 'twilio-auth-token-of-tests';

export interface TwilioRequest {
  readonly kind: 'message' | 'verification' | 'check';
  readonly to: string;
  readonly form: URLSearchParams;
  readonly authorization: string;
}

/** A refusal as Twilio words it: HTTP status, its own code, and seconds for Retry-After. */
export interface TwilioRefusal {
  readonly status: number;
  readonly code?: number;
  readonly retryAfter?: number;
  readonly message?: string;
}

/**
 * - `accept`: as the real one does
 * - `hang`, `drop`: reads the request, then says nothing, or hangs up; the message was not taken
 * - `take-and-hang`, `take-and-drop`: the same, but the message was taken
 */
export type TwilioVerdict =
  | 'accept'
  | 'hang'
  | 'drop'
  | 'take-and-hang'
  | 'take-and-drop'
  | TwilioRefusal
  | { readonly raw: string; readonly status: number };

interface Verification {
  readonly sid: string;
  readonly code: string;
  sends: number;
  checks: number;
}

const MOST_PER_VERIFICATION = 5;
const PATHS: readonly (readonly [RegExp, TwilioRequest['kind']])[] = [
  [/^\/2010-04-01\/Accounts\/AC[0-9a-f]{32}\/Messages\.json$/, 'message'],
  [/^\/v2\/Services\/VA[0-9a-f]{32}\/Verifications$/, 'verification'],
  [/^\/v2\/Services\/VA[0-9a-f]{32}\/VerificationCheck$/, 'check'],
];

/** Twilio's HTTP API, as far as we use it, failing in every way one asks for; for TWILIO_BASE_URL. */
export class TwilioDouble {
  /** Everything that arrived, whatever became of it. */
  readonly requests: TwilioRequest[] = [];
  /** What was taken: an SMS that somebody gets. */
  readonly taken: { readonly sid: string; readonly request: TwilioRequest }[] = [];
  /** Asked for each request; it may wait before it answers. */
  verdict: (request: TwilioRequest) => Promise<TwilioVerdict> | TwilioVerdict = () => 'accept';

  private readonly verifications = new Map<string, Verification>();
  private readonly server = createServer((request, response) => {
    this.receive(request, response).catch(() => response.destroy());
  });

  static async start(): Promise<TwilioDouble> {
    const double = new TwilioDouble();
    await new Promise<void>((resolve) => double.server.listen(0, '127.0.0.1', resolve));
    return double;
  }

  get url(): string {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('the double does not listen');
    return `http://127.0.0.1:${address.port}`;
  }

  /** Newest last. */
  to(number: string): readonly { readonly sid: string; readonly request: TwilioRequest }[] {
    return this.taken.filter(({ request }) => request.to === number);
  }

  /** The code that Verify made for a number. */
  codeOf(number: string): string {
    const verification = this.verifications.get(number);
    if (verification === undefined) throw new Error('no verification is under way');
    return verification.code;
  }

  /** Its ten minutes are over. */
  expire(number: string): void {
    this.verifications.delete(number);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async receive(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams((await buffer(incoming)).toString());
    const kind = PATHS.find(([path]) => path.test(incoming.url ?? ''))?.[1];
    if (kind === undefined) return refuse(response, { status: 404, code: 20404 });
    const authorization = incoming.headers.authorization ?? '';
    const request: TwilioRequest = { kind, to: form.get('To') ?? '', form, authorization };
    this.requests.push(request);
    const verdict = await this.verdict(request);
    if (verdict === 'hang') return;
    if (verdict === 'drop') return void response.destroy();
    if (typeof verdict === 'object') {
      if ('raw' in verdict) return void response.writeHead(verdict.status).end(verdict.raw);
      return refuse(response, verdict);
    }
    const [status, answer] = this.answer(request);
    if (verdict === 'take-and-hang') return;
    if (verdict === 'take-and-drop') return void response.destroy();
    if (status >= 400) return refuse(response, { status, code: answer as number });
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }

  private answer(request: TwilioRequest): readonly [number, unknown] {
    if (request.authorization !== `Basic ${btoa(`${ACCOUNT_SID}:${AUTH_TOKEN}`)}`) return [401, 20003];
    if (request.kind === 'check') return this.check(request);
    const verification = request.kind === 'verification' ? this.verificationOf(request.to) : undefined;
    if (verification !== undefined && (verification.sends += 1) > MOST_PER_VERIFICATION) return [429, 60203];
    const sid = verification?.sid ?? `SM${randomBytes(16).toString('hex')}`;
    this.taken.push({ sid, request });
    const status = verification === undefined ? 'queued' : 'pending';
    return [201, { sid, to: request.to, status, body: request.form.get('Body') }];
  }

  private verificationOf(to: string): Verification {
    const known = this.verifications.get(to);
    if (known !== undefined) return known;
    const code = String(100_000 + (randomBytes(4).readUInt32BE() % 900_000));
    const made = { sid: `VE${randomBytes(16).toString('hex')}`, code, sends: 0, checks: 0 };
    this.verifications.set(to, made);
    return made;
  }

  private check({ to, form }: TwilioRequest): readonly [number, unknown] {
    const verification = this.verifications.get(to);
    if (verification === undefined) return [404, 20404];
    if ((verification.checks += 1) > MOST_PER_VERIFICATION) return [429, 60202];
    const approved = form.get('Code') === verification.code;
    if (approved) this.verifications.delete(to);
    return [201, { sid: verification.sid, to, status: approved ? 'approved' : 'pending', valid: approved }];
  }
}

function refuse(response: ServerResponse, refusal: TwilioRefusal): void {
  const { status, code, retryAfter, message = 'Refused' } = refusal;
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
  });
  response.end(JSON.stringify({ ...(code === undefined ? {} : { code }), message, status }));
}

/** `X-Twilio-Signature` of a form that Twilio posts (https://www.twilio.com/docs/usage/security). */
export function twilioSignature(url: string, form: Readonly<Record<string, string>>, authToken = AUTH_TOKEN) {
  const text = Object.keys(form)
    .sort()
    .reduce((all, name) => `${all}${name}${form[name] ?? ''}`, url);
  return createHmac('sha1', authToken).update(text).digest('base64');
}
