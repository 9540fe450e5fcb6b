import { Text } from '@mantine/core';
import { AppLink } from '../shared/links.tsx';
import type { Message } from './messages.ts';

/** Whose user a message is for, leading to the organization; its id where it is gone. */
export function OrganizationLink({ message }: { readonly message: Message }) {
  const { resourceOwner: org } = message.details;
  if (message.organizationName === undefined)
    return (
      <Text span ff="monospace" size="sm" style={{ overflowWrap: 'anywhere' }}>
        {org}
      </Text>
    );
  return (
    <AppLink className="above" to="/orgs/$org" params={{ org }}>
      {message.organizationName}
    </AppLink>
  );
}
