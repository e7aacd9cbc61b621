"""The commands over a bucket and an index on S3: filling the bucket, comparing the two, making the index anew."""
