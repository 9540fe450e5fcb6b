import { Argument } from '@commander-js/extra-typings';
import { ApiRefusal, type ApiClient } from '../api/api-client.js';
import { userPath, USERS, type User } from '../api/users.js';
import { OperationFailed } from '../shell/exit.js';

/** What a command that means one user takes for it. */
export const userArgument = new Argument('<user>', 'id or login name of the user');

/**
 * The user of an id, or else of a full login name; people know login names. An id decides where both could be meant.
 *
 * @throws OperationFailed when there is none, or more than one
 */
export async function findUser(client: ApiClient, given: string): Promise<User> {
  try {
    return (await client.get<{ user: User }>(userPath(given))).user;
  } catch (error) {
    // an id that no id can be is 400
    const isUnknown = error instanceof ApiRefusal && (error.status === 404 || error.status === 400);
    if (!isUnknown) throw error;
    const [user, ...others] = await withLoginName(client, given);
    if (user === undefined) {
      throw new OperationFailed('no user of this organization has this id or login name', { cause: error });
    }
    if (others.length > 0) throw new OperationFailed(SEVERAL);
    return user;
  }
}

/**
 * The id of the user who has this login name, or what was given, as an id: those who were removed, and those of other
 * organizations, have no login name here.
 *
 * @throws OperationFailed when several have it, or when it is nobody's and, for its `@`, cannot be an id
 */
export async function userIdOf(client: ApiClient, given: string): Promise<string> {
  const [user, ...others] = await withLoginName(client, given);
  if (others.length > 0) throw new OperationFailed(SEVERAL);
  if (user === undefined && given.includes('@')) {
    throw new OperationFailed(`no user of this organization has the login name ${given}: give the id`);
  }
  return user?.id ?? given;
}

const SEVERAL = 'several users of this organization have this login name: give the id';

/** A login name is one user's in the whole service; that it is, is looked at all the same before anybody is removed. */
async function withLoginName(client: ApiClient, loginName: string): Promise<readonly User[]> {
  const method = 'TEXT_QUERY_METHOD_EQUALS_IGNORE_CASE';
  const { result = [] } = await client.post<{ readonly result?: readonly User[] }>(`${USERS}/_search`, {
    query: { limit: 2 },
    queries: [{ loginNameQuery: { loginName, method } }],
  });
  return result;
}
