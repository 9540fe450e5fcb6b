/** Undefined where none is on the PATH and none can be fetched into `folder`. */
export function findRedis(options: {
  folder: string;
  note?: (text: string) => void;
  signal?: AbortSignal;
}): Promise<
  | {
      readonly program: string;
      readonly env?: NodeJS.ProcessEnv;
      readonly version: string;
      readonly origin: string;
    }
  | undefined
>;
