import type { ApplicationId, DeviceAuthorizationId, UserId } from '../shared/ids.js';
import { randomLetters } from '../shared/random.js';

/**
 * A device that has no browser asks for tokens (RFC 8628): it shows a code, its user types that in at a browser, signs in
 * and agrees; the device polls until there is a decision. States:
 *
 *   pending ──► approved ──► (its authorization code is used up)
 *      └──────► denied
 *
 * What is approved is an ordinary grant: its authorization code is never sent; the device code is exchanged in its place.
 */
export const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** What stands for a redirect URI where there is none: no client can register it. */
export const NO_REDIRECT_URI = DEVICE_CODE_GRANT;

/** How long the user has. */
export const DEVICE_CODE_SECONDS = 300;
/** Between two questions of the device; more after each that came too early (RFC 8628 §3.5). */
export const POLL_SECONDS = 5;
/** For a user who agreed at the last moment: time for the device to poll once more. */
export const LAST_POLLS_SECONDS = 60;

/** No vowels, so that it makes no words, and nothing that is taken for something else (RFC 8628 §6.1). */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;
const USER_CODE = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);

export interface DeviceAuthorization {
  readonly id: DeviceAuthorizationId;
  readonly applicationId: ApplicationId;
  readonly userCode: string;
  readonly scopes: readonly string[];
  /** Network address of who asked: the device, or a server that asks for it. */
  readonly askedFrom: string;
}

export interface NewDeviceAuthorization extends Omit<DeviceAuthorization, 'id'> {
  readonly deviceCodeHash: Buffer;
}

/** The answer to a polling device; an unknown one has no `state`. */
export interface PolledDevice {
  readonly applicationId: ApplicationId;
  readonly state: 'pending' | 'approved' | 'denied';
  readonly expired: boolean;
  /** It asked sooner than it may. */
  readonly early: boolean;
  /** Of the authorization code that stands for it once it is approved. */
  readonly codeHash: Buffer | null;
}

export interface Approval {
  readonly userId: UserId;
  readonly codeHash: Buffer;
}

export function makeUserCode(): string {
  return randomLetters(ALPHABET, LENGTH);
}

/** As people read it: `BCDF-GHJK`. */
export function shownUserCode(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;
}

/** What somebody typed, whatever of dashes, blanks and small letters is in it; undefined for what is no code. */
export function readUserCode(typed: string): string | undefined {
  const code = typed.replaceAll(/[\s\-\u2010-\u2015]/g, '').toUpperCase();
  return USER_CODE.test(code) ? code : undefined;
}
