import { describe, expect, it } from 'vitest';
import {
  readRegistration,
  type RegistrationProblem,
  type TypedRegistration,
} from '../../../src/domain/registration/read-registration.js';

/** The form asks for a login name, or takes the address for one. */
const NAMED = { requireLoginName: true };
const BY_ADDRESS = { requireLoginName: false };

const typed: TypedRegistration = {
  email: 'grace@mail.test',
  loginName: 'grace',
};

function problemsOf(changes: TypedRegistration): readonly RegistrationProblem[] {
  const read = readRegistration({ ...typed, ...changes }, NAMED);
  return 'problems' in read ? read.problems : [];
}

describe('what somebody types to register', () => {
  it('is taken without the blanks around it', () => {
    const read = readRegistration({ email: ' Grace@Mail.test ', loginName: ' grace ' }, NAMED);
    expect(read).toEqual({ fields: { email: 'Grace@Mail.test', loginName: 'grace' } });
  });

  it('is named by the address where no login name is asked for', () => {
    const read = readRegistration({ email: ' Grace@Mail.test ', loginName: 'not looked at' }, BY_ADDRESS);
    expect(read).toEqual({ fields: { email: 'Grace@Mail.test', loginName: 'Grace@Mail.test' } });
    expect(readRegistration({}, BY_ADDRESS)).toEqual({ problems: ['email-missing'] });
  });

  it('is told all its problems at once, in the order of the fields', () => {
    expect(readRegistration({}, NAMED)).toEqual({ problems: ['email-missing', 'login-name-missing'] });
  });

  it.each<[string, TypedRegistration, readonly RegistrationProblem[]]>([
    ['a mark of direction in the login name', { loginName: 'grace\u200E' }, ['login-name-not-valid']],
    ['an invisible character in the address', { email: 'gra\u200Bce@mail.test' }, ['email-not-valid']],
    ['an encoded word', { email: '=?utf-8?q?grace?=@mail.test' }, ['email-not-valid']],
    ['no at sign', { email: 'grace' }, ['email-not-valid']],
    ['a display name', { email: 'Grace <grace@mail.test>' }, ['email-not-valid']],
    ['an address that folds into another one', { email: 'grace@straße.test' }, ['email-not-valid']],
    ['an address in a script without case', { email: '山田@mail.test' }, []],
    [
      '201 characters of an address',
      { email: `${'x'.repeat(60)}@${'y.'.repeat(75)}test` },
      ['email-not-valid'],
    ],
    ['a blank in the login name', { loginName: 'grace hopper' }, ['login-name-not-valid']],
    ['a control character in it', { loginName: 'grace\u0007' }, ['login-name-not-valid']],
    ['nothing to be seen in it', { loginName: '\u200B' }, ['login-name-not-valid']],
    ['201 characters of it', { loginName: 'x'.repeat(201) }, ['login-name-not-valid']],
    ['a name that unfolds without bounds', { loginName: '\uFDFA'.repeat(200) }, ['login-name-not-valid']],
    ['an address as login name', { loginName: 'GRACE@mail.test' }, []],
    ['another address as login name', { loginName: 'ada@mail.test' }, ['login-name-not-valid']],
    ['a full-width at sign', { loginName: 'ada＠mail.test' }, ['login-name-not-valid']],
  ])('%s', (_name, changes, problems) => {
    expect(problemsOf(changes)).toEqual(problems);
  });
});
