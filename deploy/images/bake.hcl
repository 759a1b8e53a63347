# All images in one build, for both architectures: docker buildx bake --file deploy/images/bake.hcl

variable "VERSION" {
  default = "development"
}

# Prefix of the image names, such as "example.com/team/".
variable "PREFIX" {
  default = ""
}

group "default" {
  targets = ["image"]
}

target "image" {
  name = "billing-${service}"
  matrix = {
    service = [
      "identity",
      "catalog",
      "customer",
      "discount",
      "checkout",
      "subscription",
      "metering",
      "notifier",
      "gateway",
      "operations",
    ]
  }
  context    = "."
  dockerfile = "deploy/images/Dockerfile"
  platforms  = ["linux/amd64", "linux/arm64"]
  args = {
    SERVICE = service
    VERSION = VERSION
  }
  tags = ["${PREFIX}billing-${service}:${VERSION}"]
}
