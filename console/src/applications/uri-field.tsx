import { TextInput, type TextInputProps } from '@mantine/core';

/** One address; several are a `UriList`. */
export function UriField(properties: TextInputProps) {
  return <TextInput inputMode="url" autoComplete="off" {...properties} />;
}
