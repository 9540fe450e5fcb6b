import { SegmentedControl, useComputedColorScheme } from '@mantine/core';
import { useState } from 'react';
import de from '../../../locales/console/de/sign-in.json';
import en from '../../../locales/console/en/sign-in.json';
import { words } from '../app/words.ts';

const t = words({ en, de });

export type Scheme = 'light' | 'dark';

/** The scheme of a preview: that of the console, which does not blind anybody, until another is chosen. */
export function usePreviewScheme(): readonly [Scheme, (scheme: Scheme) => void] {
  const ofConsole = useComputedColorScheme('light');
  const [chosen, setChosen] = useState<Scheme>();
  return [chosen ?? ofConsole, setChosen];
}

/** Which of the two a preview shows, whatever the console itself is in. */
export function SchemeSwitch({
  scheme,
  onChange,
}: {
  readonly scheme: Scheme;
  readonly onChange: (scheme: Scheme) => void;
}) {
  return (
    <SegmentedControl<Scheme>
      size="xs"
      aria-label={t.branding.preview.scheme}
      value={scheme}
      onChange={onChange}
      data={[
        { value: 'light', label: t.branding.preview.light },
        { value: 'dark', label: t.branding.preview.dark },
      ]}
    />
  );
}
