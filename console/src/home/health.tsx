import { Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import de from '../../../locales/console/de/home.json';
import en from '../../../locales/console/en/home.json';
import { words } from '../app/words.ts';
import { Failure } from '../shared/failure.tsx';
import { Section } from '../shared/section.tsx';
import { State, type Tone } from '../shared/state.tsx';
import { useHealth, type Health } from './find-health.ts';

const t = words({ en, de }).health;
const PARTS = Object.keys(t.parts) as (keyof typeof t.parts)[];

type Part = Health['parts'][number];

const TONES: Readonly<Record<Part['state'], Tone>> = { good: 'good', warning: 'warning', bad: 'bad' };

/** How the service is doing, and what somebody can do where it is not well. */
export function HealthSection() {
  const { data, error, refetch } = useHealth();
  const troubles = data?.parts.filter(({ state }) => state !== 'good') ?? [];
  return (
    <Section title={t.title} lead={data === undefined ? t.lead : troubles.length === 0 ? t.well : t.unwell}>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!(data === undefined && error) && (
        <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm">
          {PARTS.map((name) => (
            <HealthOfPart key={name} name={name} part={data?.parts.find((part) => part.name === name)} />
          ))}
        </SimpleGrid>
      )}
    </Section>
  );
}

function HealthOfPart({
  name,
  part,
}: {
  readonly name: keyof typeof t.parts;
  readonly part: Part | undefined;
}) {
  return (
    <Stack gap={2}>
      <Group gap="xs">
        <Text fw={600}>{t.parts[name]}</Text>
        {part === undefined ? (
          <Skeleton height={20} width={64} />
        ) : (
          <State tone={TONES[part.state]} label={t.states[part.state]} />
        )}
      </Group>
      {part?.reason !== undefined && (
        <Text size="sm" c="dimmed">
          {t.reasons[part.reason]}
        </Text>
      )}
    </Stack>
  );
}
