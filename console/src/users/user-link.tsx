import { Text } from '@mantine/core';
import { AppLink } from '../shared/links.tsx';
import { useUserName } from './user-names.ts';

interface UserLinkProperties {
  /** Whose users they are among. */
  readonly org: string;
  readonly id: string;
  /** Where they are looked for if they are not there: an administrator of the instance acts in all organizations. */
  readonly elsewhere?: string | undefined;
}

/** A user by name, leading to their page; their id where they are gone or not for the visitor to see. */
export function UserLink({ org, id, elsewhere }: UserLinkProperties) {
  const here = useUserName(org, id);
  const there = useUserName(elsewhere ?? '', here === null && elsewhere !== org ? id : undefined);
  const name = here ?? there;
  if (name === undefined || name === null)
    return (
      <Text span ff="monospace" size="sm" style={{ overflowWrap: 'anywhere' }}>
        {id}
      </Text>
    );
  const owner = here === null ? (elsewhere ?? org) : org;
  return (
    <AppLink className="above" to="/orgs/$org/users/$user" params={{ org: owner, user: id }}>
      {name}
    </AppLink>
  );
}
