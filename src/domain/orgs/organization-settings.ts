/** What organizations need to know of the instance that they live in. */
export abstract class OrganizationSettings {
  /** The host of the service: the domain of an organization that names none lies below it. */
  abstract readonly host: string;
}
