import { Skeleton, Text } from '@mantine/core';
import { AppLink } from '../shared/links.tsx';
import { useFoundName } from './user-names.ts';

interface UserLinkProperties {
  /** Whose users they are among. */
  readonly org: string;
  readonly id: string;
  /** Where they are looked for if they are not there: an administrator of the instance acts in all organizations. */
  readonly elsewhere?: string | undefined;
  /** What they are called where they are found in neither. */
  readonly name?: string | undefined;
}

/** A user by name, leading to their page; their id where they are gone or not for the visitor to see. Neither before that is known. */
export function UserLink({ org, id, elsewhere, name: called }: UserLinkProperties) {
  const { name: here, isLoading: isLoadingHere } = useFoundName(org, id);
  const isElsewhere = here === null && elsewhere !== undefined && elsewhere !== org;
  const { name: there, isLoading: isLoadingThere } = useFoundName(
    elsewhere ?? '',
    isElsewhere ? id : undefined,
  );
  // as high as the line that a name takes, so that nothing moves when it comes
  if (isLoadingHere || isLoadingThere)
    return (
      <Skeleton component="span" display="block" aria-busy="true" width="14ch" maw="100%" height="1lh" />
    );
  const name = here ?? there;
  if ((name === undefined || name === null) && called !== undefined) return called;
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
