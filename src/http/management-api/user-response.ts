import type { Gender, HumanUser, MachineUser, User, UserState } from '../../domain/users/user.js';
import { readDetails } from '../shared/details-response.js';
import { emailFields } from '../shared/human-responses.js';

export const STATES: Readonly<Record<UserState, string>> = {
  initial: 'USER_STATE_INITIAL',
  active: 'USER_STATE_ACTIVE',
  inactive: 'USER_STATE_INACTIVE',
  locked: 'USER_STATE_LOCKED',
};

export const GENDERS: Readonly<Record<Gender, string>> = {
  female: 'GENDER_FEMALE',
  male: 'GENDER_MALE',
  diverse: 'GENDER_DIVERSE',
};

/** A user as `GET users/{id}` answers it. Zero values are left out (contract §0.1), passwords do not exist here. */
export function userResponse(user: User) {
  return {
    user: {
      id: user.id,
      details: readDetails(user.details),
      state: STATES[user.state],
      userName: user.userName,
      loginNames: [user.loginName],
      preferredLoginName: user.loginName,
      ...(user.is.kind === 'human' ? { human: human(user.is) } : { machine: machine(user.is) }),
    },
  };
}

function human({ profile, email, phone }: HumanUser) {
  const { gender, ...names } = profile;
  return {
    profile: { ...names, ...(gender !== undefined && { gender: GENDERS[gender] }) },
    email: emailFields(email),
    ...(phone && { phone: { phone: phone.number, ...(phone.verified && { isPhoneVerified: true }) } }),
  };
}

function machine({ name, description, accessTokenType }: MachineUser) {
  return {
    name,
    ...(description !== undefined && { description }),
    ...(accessTokenType === 'jwt' && { accessTokenType: 'ACCESS_TOKEN_TYPE_JWT' }),
  };
}
