import { useRef } from 'react';
import { answered, api } from '../api/client.ts';
import { applicationParams, type Application, type Where } from './applications.ts';

type Params = ReturnType<typeof applicationParams>;

interface Replaced {
  readonly details: { readonly sequence: string };
  readonly clientSecret?: string | undefined;
}

/**
 * Settings and name are two calls, the second made on top of the first. Settings go first: they are what asks for a fresh
 * sign-in. A secret that came of them is handed on at once, whatever becomes of the name.
 */
export function useSaveApplication(where: Where, app: Application, onSecret: (secret: string) => void) {
  // where the settings were saved and the name was refused, the next try stands on one's own change
  const reached = useRef<{ readonly on: string; readonly at: string }>(undefined);
  return async (
    name: string,
    on: string | undefined,
    replace: (params: Params) => Promise<Replaced>,
  ): Promise<unknown> => {
    const base = reached.current?.on === on ? reached.current?.at : on;
    const replaced = await replace(applicationParams(where, base));
    if (replaced.clientSecret !== undefined) {
      onSecret(replaced.clientSecret);
      scrollTo({ top: 0 });
    }
    if (name.trim() === app.name) return replaced;
    const { sequence } = replaced.details;
    if (on !== undefined) reached.current = { on, at: sequence };
    const params = applicationParams(where, on === undefined ? undefined : sequence);
    const body = { name: name.trim() };
    return await answered(api.PUT('/management/v1/projects/{projectId}/apps/{appId}', { params, body }));
  };
}
