/** A user as the service returns it (`/management/v1/users`); fields that this program does not use are left out. */
export interface User {
  readonly id: string;
  readonly state: string;
  readonly userName: string;
  readonly preferredLoginName: string;
  readonly details: { readonly creationDate?: string; readonly changeDate?: string };
  readonly human?: {
    readonly profile: { readonly displayName: string };
    readonly email: { readonly email: string; readonly isEmailVerified?: boolean };
    readonly phone?: { readonly phone: string; readonly isPhoneVerified?: boolean };
  };
  readonly machine?: { readonly name: string };
}

export const USERS = '/management/v1/users';

export function userPath(id: string, action = ''): string {
  return `${USERS}/${encodeURIComponent(id)}${action === '' ? '' : `/${action}`}`;
}

/** A state as people write it: `active` of `USER_STATE_ACTIVE`. */
export function stateWord({ state }: User): string {
  return state.replace(/^USER_STATE_/, '').toLowerCase();
}

export const STATE_WORDS = ['active', 'inactive', 'locked', 'initial'] as const;

export function stateName(word: string): string {
  return `USER_STATE_${word.toUpperCase()}`;
}
