import { Select, Text } from '@mantine/core';
import de from '../../../locales/console/de/credentials.json';
import en from '../../../locales/console/en/credentials.json';
import { dayOf, words } from '../app/words.ts';

const t = words({ en, de });

/** How long a credential is good for. A year is what nobody forgets by accident, and "never" is somebody's decision. */
export const LIFETIMES = ['30', '90', '365', 'never'] as const;
export type Lifetime = (typeof LIFETIMES)[number];

const LABELS: Readonly<Record<Lifetime, string>> = {
  30: t.expiry.days30,
  90: t.expiry.days90,
  365: t.expiry.days365,
  never: t.expiry.never,
};

export function expiryOf(lifetime: Lifetime): { readonly expirationDate?: string } {
  if (lifetime === 'never') return {};
  return { expirationDate: new Date(Date.now() + Number(lifetime) * 86_400_000).toISOString() };
}

interface LifetimeSelectProperties {
  readonly value: Lifetime;
  readonly onChange: (lifetime: Lifetime) => void;
}

export function LifetimeSelect({ value, onChange }: LifetimeSelectProperties) {
  return (
    <Select
      label={t.expiry.label}
      value={value}
      onChange={(chosen) => onChange(chosen as Lifetime)}
      data={LIFETIMES.map((one) => ({ value: one, label: LABELS[one] }))}
      allowDeselect={false}
      w={200}
    />
  );
}

/** A credential without an end is answered with the last day of the year 9999. */
export function Expiry({ at }: { readonly at: string }) {
  if (at.startsWith('9999')) return t.never;
  const isOver = new Date(at).getTime() < Date.now();
  return (
    <Text span inherit {...(isOver && { c: 'var(--danger)' })}>
      {dayOf(at)}
      {isOver && ` (${t.over})`}
    </Text>
  );
}
