import { Avatar } from '@mantine/core';
import type { useMe } from './permissions.ts';

type Me = ReturnType<typeof useMe>['data'];

export function ownName(me: Me): string {
  return me?.human?.profile.displayName ?? me?.machine?.name ?? me?.userName ?? '';
}

/** The initials of whoever is signed in. */
export function OwnAvatar({ name }: { readonly name: string }) {
  return <Avatar name={name} size={32} radius="xl" variant="filled" color="accent" aria-hidden />;
}
