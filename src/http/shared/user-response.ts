import type { ServiceUser, User, UserState } from '../../domain/users/user.js';
import { readDetails } from './details-response.js';
import { humanFields } from './human-responses.js';

export const STATES: Readonly<Record<UserState, string>> = {
  initial: 'USER_STATE_INITIAL',
  active: 'USER_STATE_ACTIVE',
  inactive: 'USER_STATE_INACTIVE',
  locked: 'USER_STATE_LOCKED',
};

/** A user as `GET users/{id}` answers it. Zero values are left out (protocol §0.1), passwords do not exist here. */
export function userResponse(user: User) {
  return {
    user: {
      id: user.id,
      details: readDetails(user.details),
      state: STATES[user.state],
      userName: user.userName,
      loginNames: [user.loginName],
      preferredLoginName: user.loginName,
      ...(user.type === 'human' ? { human: humanFields(user) } : { machine: machine(user) }),
    },
  };
}

function machine({ name, description, accessTokenType }: ServiceUser) {
  return {
    name,
    ...(description !== undefined && { description }),
    ...(accessTokenType === 'jwt' && { accessTokenType: 'ACCESS_TOKEN_TYPE_JWT' }),
  };
}
