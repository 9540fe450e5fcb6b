/** Token under which the configuration provides what receiving a file needs to know. */
export abstract class UploadSettings {
  /** Of a file as it is unpacked. */
  abstract readonly mostBytes: number;
}
