import { robotBasic, type Robot } from '../../support/service-users.js';
import type { ApiProcess } from './api-process.js';

/** An access token of that replica for a service user, by client_credentials. */
export async function robotToken({ origin }: ApiProcess, robot: Robot): Promise<string> {
  const response = await fetch(`${origin}/oauth/v2/token`, {
    method: 'POST',
    headers: robotBasic(robot, robot.userName),
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'openid' }),
  });
  if (!response.ok) throw new Error(`the token endpoint answered ${response.status}`);
  return ((await response.json()) as { access_token: string }).access_token;
}
