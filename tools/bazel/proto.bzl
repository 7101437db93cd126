"""C++ from .proto files, by the system's protoc."""

def cc_proto(name, src, deps = [], **kwargs):
    """A cc_library `name` with the messages of `src`.

    Args:
      name: of the cc_library.
      src: the .proto file, named relative to this package.
      deps: cc_proto targets whose files `src` imports.
      **kwargs: passed to the cc_library.
    """
    stem = src[:-len(".proto")]
    native.genrule(
        name = name + "_gen",
        srcs = [src] + [dep + "_src" for dep in deps],
        outs = [stem + ".pb.h", stem + ".pb.cc"],
        cmd = "$(location @protobuf//:protoc) --proto_path=. --cpp_out=$(GENDIR) $(location %s)" % src,
        tools = ["@protobuf//:protoc"],
    )
    native.filegroup(
        name = name + "_src",
        srcs = [src] + [dep + "_src" for dep in deps],
    )
    native.cc_library(
        name = name,
        srcs = [stem + ".pb.cc"],
        hdrs = [stem + ".pb.h"],
        deps = deps + ["@protobuf"],
        **kwargs
    )
