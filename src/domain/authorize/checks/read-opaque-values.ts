import { OAuthError } from '../../shared/errors.js';
import { readUiLocales } from '../../shared/locale.js';
import type { OAuthParameters } from '../../shared/oauth-parameters.js';
import type { Check } from './check.js';

const LIMITS = { state: 4096, nonce: 1024 } as const;

function hasControlCharacters(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x20 || unit === 0x7f) return true;
  }
  return false;
}

/** Why a value cannot be kept, or undefined when it can. */
function problemOf(name: keyof typeof LIMITS, value: string): string | undefined {
  const limit = LIMITS[name];
  if (value.length > limit) return `${name} is longer than ${limit} characters`;
  return value.includes('\u0000') ? `${name} has a NUL character` : undefined;
}

/** The state that goes back with every answer, errors included, unless it cannot be read as one value and kept. */
export function readState(parameters: OAuthParameters): string | undefined {
  const state = parameters.isRepeated('state') ? undefined : parameters.get('state');
  return state === undefined || problemOf('state', state) !== undefined ? undefined : state;
}

/** state and nonce come back exactly as they were sent, so the only question is whether they can be kept. */
export const readOpaqueValues: Check = ({ parameters }) => {
  for (const name of ['state', 'nonce'] as const) {
    const problem = problemOf(name, parameters.get(name) ?? '');
    if (problem !== undefined) throw new OAuthError('invalid_request', problem);
  }
  const state = parameters.get('state');
  const nonce = parameters.get('nonce');
  return { ...(state === undefined ? {} : { state }), ...(nonce === undefined ? {} : { nonce }) };
};

/** Hints for the pages: whatever is not usable is dropped, never an error. */
export const readHints: Check = ({ parameters }) => {
  const loginHint = parameters.get('login_hint');
  const usable = loginHint !== undefined && loginHint.length <= 200 && !hasControlCharacters(loginHint);
  const uiLocales = readUiLocales(parameters.get('ui_locales') ?? '');
  return { uiLocales, ...(usable ? { loginHint } : {}) };
};
