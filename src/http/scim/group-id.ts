/** More than a role's key may be (`project-role.schemas.ts`), and nothing that the database would choke on. */
const KEY = /^[!-~]{1,200}$/;

/**
 * The id of a group: the project's and the role's key, which may have a slash in it. Nobody has to read it, and it is the
 * same for every token of the project.
 */
export function idOfGroup(key: string, projectId: string | null): string {
  return `${projectId ?? ''}.${Buffer.from(key).toString('base64url')}`;
}

/** Undefined for what is no group of the project. */
export function keyOfGroup(id: string, projectId: string | null): string | undefined {
  const prefix = `${projectId ?? ''}.`;
  if (projectId === null || !id.startsWith(prefix)) return undefined;
  const key = Buffer.from(id.slice(prefix.length), 'base64url').toString();
  return KEY.test(key) && idOfGroup(key, projectId) === id ? key : undefined;
}
