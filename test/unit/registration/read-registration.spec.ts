import { describe, expect, it } from 'vitest';
import {
  readRegistration,
  type RegistrationProblem,
  type TypedRegistration,
} from '../../../src/domain/registration/read-registration.js';

const typed: TypedRegistration = {
  firstName: 'Grace',
  lastName: 'Hopper',
  email: 'grace@mail.test',
  loginName: 'grace',
};

function problemsOf(changes: TypedRegistration): readonly RegistrationProblem[] {
  const read = readRegistration({ ...typed, ...changes });
  return 'problems' in read ? read.problems : [];
}

describe('what somebody types to register', () => {
  it('is taken without the blanks around it', () => {
    const read = readRegistration({
      firstName: ' Grace  Brewster ',
      lastName: 'Hopper\t',
      email: ' Grace@Mail.test ',
      loginName: ' grace ',
    });
    expect(read).toEqual({
      fields: {
        firstName: 'Grace Brewster',
        lastName: 'Hopper',
        email: 'Grace@Mail.test',
        loginName: 'grace',
      },
    });
  });

  it('is told all its problems at once, in the order of the fields', () => {
    expect(readRegistration({})).toEqual({
      problems: ['first-name-missing', 'last-name-missing', 'email-missing', 'login-name-missing'],
    });
  });

  it.each<[string, TypedRegistration, readonly RegistrationProblem[]]>([
    ['200 characters', { firstName: '𝒳'.repeat(200) }, []],
    ['201 characters', { firstName: 'x'.repeat(201) }, ['first-name-too-long']],
    ['a last name that is too long', { lastName: 'x'.repeat(201) }, ['last-name-too-long']],
    ['only what cannot be seen', { firstName: '\u202E\n' }, ['first-name-missing']],
    ['a turn of direction in a name', { firstName: 'Grace\u202Egnp' }, ['first-name-not-valid']],
    ['a mark of direction in a name', { lastName: 'Hopper\u200F' }, ['last-name-not-valid']],
    ['joiners that a script needs', { firstName: 'نامه\u200Cها' }, []],
    ['a mark of direction in the login name', { loginName: 'grace\u200E' }, ['login-name-not-valid']],
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
